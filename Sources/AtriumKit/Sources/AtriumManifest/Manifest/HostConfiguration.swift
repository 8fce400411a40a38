/// Which modules the host loads and how: a `modules.json` that has been read and found valid.
public struct HostConfiguration: Sendable, Hashable {
    /// Which implementation of every service is built.
    public enum Environment: String, Sendable, CaseIterable {
        /// Canned answers, for tests and previews.
        case mock

        /// The database of this machine.
        case local

        /// Servers.
        case live
    }

    /// A module that the host loads.
    public struct Module: Sendable, Hashable {
        /// The name in the manifest of the module.
        public var name: String

        /// The library, where it is not looked for on the search paths.
        public var path: String?

        /// Values for what the module's manifest declares, in the order of the file, each key once.
        public var configuration: [ManifestValue.Member]

        /// Makes an entry.
        public init(name: String, path: String? = nil, configuration: [ManifestValue.Member] = []) {
            self.name = name
            self.path = path
            self.configuration = configuration
        }
    }

    /// Which libraries may be loaded.
    public struct Trust: Sendable, Hashable {
        /// What a library must show.
        public enum Policy: String, Sendable, CaseIterable {
            /// Nothing.
            case any

            /// The digest that `modules.lock` pins for its module.
            case locked

            /// A minisign signature by one of the keys.
            case signed
        }

        /// What a library must show.
        public var policy: Policy

        /// The minisign public keys of those who may sign, as `minisign -G` prints them, each once; at least
        /// one where the policy is ``Policy/signed``.
        public var keys: [String]

        /// Makes a rule; without arguments every library may be loaded.
        public init(policy: Policy = .any, keys: [String] = []) {
            self.policy = policy
            self.keys = keys
        }
    }

    /// The server of environment live.
    public struct API: Sendable, Hashable {
        /// Where its API begins; nil where the file does not say.
        public var url: ServerURL?

        /// How many seconds a request may take, with all its attempts.
        public var timeLimit: Double

        /// How often a request is sent at most, where it may be repeated.
        public var attempts: Int

        /// Makes settings; without arguments there is no server.
        public init(url: ServerURL? = nil, timeLimit: Double = 30, attempts: Int = 4) {
            self.url = url
            self.timeLimit = timeLimit
            self.attempts = attempts
        }
    }

    /// Which implementation of every service is built.
    public let environment: Environment

    /// The folders in which modules are looked for, in order; as written, so relative to the file.
    public let searchPaths: [String]

    /// The modules to load, in the order of the file, each name once.
    public let modules: [Module]

    /// The folder in which the host keeps what it stores, where the file names one.
    public let data: String?

    /// The server of environment live.
    public let api: API

    /// Which libraries may be loaded.
    public let trust: Trust

    /// Makes a configuration without a file.
    public init(
        environment: Environment = .local, searchPaths: [String] = [], modules: [Module] = [],
        data: String? = nil, api: API = API(), trust: Trust = Trust()
    ) {
        self.environment = environment
        self.searchPaths = searchPaths
        self.modules = modules
        self.data = data
        self.api = api
        self.trust = trust
    }

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - json: The bytes of the file.
    ///   - file: What messages call the file.
    /// - Throws: ``ManifestError`` with everything that is wrong at once; only after a syntax error, which
    ///   hides the rest, there is a single finding.
    public init(json: [UInt8], file: String) throws(ManifestError) {
        var reader = try DocumentReader(json, file: file)
        reader.validate(against: .host)

        environment = Environment(rawValue: reader.text("environment")) ?? .local
        searchPaths = reader.root["searchPaths"]?.items.compactMap(\.text) ?? []
        modules = reader.modules()
        data = reader.root["data"]?.text
        api = reader.api()
        trust = reader.trust()
        try reader.finish()
    }
}

extension DocumentReader {
    /// Reads `modules`; a name that stands there twice is a finding.
    fileprivate mutating func modules() -> [HostConfiguration.Module] {
        var modules: [HostConfiguration.Module] = []
        var places = FirstPlaces<String>()
        for (index, entry) in (root["modules"]?.items ?? []).enumerated() {
            guard let located = entry["name"], let name = located.text else { continue }
            if let first = places.insert(name, at: located.position) {
                report(
                    at: located.position, field: FieldPath(.key("modules"), .index(index), .key("name")),
                    "Module \(Wording.quoted(name)) appears twice; the first is on line \(first.line).")
            }
            modules.append(module(entry, named: name))
        }
        return modules
    }

    private func module(_ entry: LocatedJSON, named name: String) -> HostConfiguration.Module {
        let configuration = (entry["configuration"]?.members ?? []).map(ManifestValue.Member.init)
        return HostConfiguration.Module(name: name, path: entry["path"]?.text, configuration: configuration)
    }

    /// Reads `api`; a URL that no request can be made of is a finding.
    fileprivate mutating func api() -> HostConfiguration.API {
        var api = HostConfiguration.API()
        if let url = root["api"]?["url"], let text = url.text {
            do {
                api.url = try ServerURL(text)
            } catch {
                report(
                    at: url.position, field: FieldPath(.key("api"), .key("url")),
                    "'\(error.url)' is not the URL of a server: \(error.reason). "
                        + "For example: '\(ServerURLError.example)'.")
            }
        }
        if let limit = root["api"]?["timeLimit"]?.number { api.timeLimit = limit }
        if let attempts = root["api"]?["attempts"]?.number { api.attempts = Int(attempts) }
        return api
    }

    /// Reads `trust`; signatures that nobody may make are a finding.
    fileprivate mutating func trust() -> HostConfiguration.Trust {
        let trust = root["trust"]
        let policy = trust?["policy"]
        let keys = trust?["keys"]?.items ?? []
        if let policy, policy.text == HostConfiguration.Trust.Policy.signed.rawValue, keys.isEmpty {
            report(
                at: policy.position, field: FieldPath(.key("trust"), .key("policy")),
                "Policy 'signed' needs a key in 'keys'; 'minisign -G' makes one.")
        }
        return HostConfiguration.Trust(
            policy: policy?.text.flatMap(HostConfiguration.Trust.Policy.init) ?? .any,
            keys: keys.compactMap(\.text))
    }
}

extension LocatedJSON {
    /// The number, where this is one.
    fileprivate var number: Double? {
        switch content {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
