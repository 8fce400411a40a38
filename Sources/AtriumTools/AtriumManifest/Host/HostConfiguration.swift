/// The modules that the host loads and how: a validated `modules.json`.
public struct HostConfiguration: Sendable, Hashable {
    /// A module to load, with its settings.
    public struct Module: Sendable, Hashable {
        /// The name in the module's manifest, by which its library is found unless ``path`` is set.
        public var name: String

        /// The library's path, if it is not on the search paths.
        public var path: String?

        /// Values for the declared configuration of the module, in the order of the file, each key once.
        public var configuration: [ManifestValue.Member]

        public init(name: String, path: String? = nil, configuration: [ManifestValue.Member] = []) {
            (self.name, self.path, self.configuration) = (name, path, configuration)
        }
    }

    /// The demands on a library before it is opened.
    public struct Trust: Sendable, Hashable {
        /// The proof that a library needs; without it the host refuses to open the library.
        public enum Policy: String, Sendable, CaseIterable {
            case any

            /// The digest that `modules.lock` pins for the module.
            case locked

            /// A minisign signature by one of the keys.
            case signed
        }

        public var policy: Policy

        /// The minisign public keys of trusted signers, as `minisign -G` prints them, each once; at least one
        /// if the policy is ``Policy/signed``.
        public var keys: [String]

        /// True if code that is typed at a prompt may run under every policy.
        public var allowsTypedCode: Bool

        public init(policy: Policy = .any, keys: [String] = [], allowsTypedCode: Bool = false) {
            (self.policy, self.keys, self.allowsTypedCode) = (policy, keys, allowsTypedCode)
        }
    }

    /// The settings of a server's API: its address, limits, TLS files and conventions.
    public struct API: Sendable, Hashable {
        /// The base URL of its API; nil if the file has none.
        public var url: ServerURL?

        /// The time limit of a request in seconds, including all its attempts.
        public var timeLimit = 30.0

        /// The most attempts for a repeatable request.
        public var attempts = 4

        /// The file with the certificate authorities to trust instead of the system's; as written, so
        /// relative to the file, like the next two.
        public var authority: String?

        /// The file with the certificate that identifies this host to the server.
        public var certificate: String?

        /// The file with the key of ``certificate``, if it is a separate file.
        public var key: String?

        /// The API's conventions in the file, by key; nil for a null.
        public var authorization: [String: String?] = [:]
        /// The names for pages of lists in the file, by key; nil for a null.
        public var paging: [String: String?] = [:]
        /// The number that the server gives the first page, 0 or 1; nil if the file has none.
        public var firstPage: Int?
        /// The other conventions in the file that are texts, by key; nil for a null.
        public var texts: [String: String?] = [:]
        /// True if paths end with a slash; nil if the file does not say.
        public var endsPathsWithSlash: Bool?
        /// Further header fields of requests, by name; a value may be `@env:NAME`.
        public var headers: [String: String] = [:]
        /// Further members of requests for tokens; a value may be `@env:NAME`.
        public var tokenMembers: [String: String] = [:]
    }

    /// The name of the environment in which services are built; nil if the file names none.
    public internal(set) var environment: String?

    /// The folders to search for modules, in order; as written, so relative to the file.
    public internal(set) var searchPaths: [String] = []

    /// The folders of libraries to install modules from, in order; as written, so relative to the file, or
    /// URLs: see ``folder(ofRepository:)``.
    public internal(set) var repositories: [String] = []

    /// The limit for modules installed from a repository, by the repository as it is written.
    public internal(set) var repositoryLimits: [String: Capabilities] = [:]

    /// The modules to load, in the order of the file, each name once.
    public internal(set) var modules: [Module] = []

    /// The folder in which the host stores its data; nil if the file names none.
    public internal(set) var data: String?

    /// The settings of the API that modules use without a name.
    public internal(set) var api = API()

    /// Other servers' APIs, by the names that modules use for them; each has a URL.
    public internal(set) var apis: [String: API] = [:]
    /// The demands on libraries; policy ``Trust/Policy/any`` if the file has none.
    public internal(set) var trust = Trust()

    /// The URL of the database that stores the data of environment local, or `@env:NAME`; nil for files.
    public internal(set) var database: String?

    /// The lowest level of log messages to keep, by module; `*` is for all others.
    public internal(set) var log: [String: String] = [:]
    /// The names of the log's levels, lowest first.
    public static let logLevels = ["debug", "info", "warning", "error"]
}

extension HostConfiguration {
    /// Reads a configuration.
    public init(json: [UInt8], file: String) throws(ManifestError) {
        var reader = try DocumentReader(json, file: file)
        let root = reader.root
        reader.checkObject(
            root,
            keys: [
                "$schema", "environment", "searchPaths", "repositories", "modules", "data", "api", "apis",
                "trust", "database", "log",
            ],
            required: ["modules"])
        reader.text(root["$schema"])
        environment = reader.choice(root["environment"], among: ["mock", "local", "live"])
        searchPaths = reader.texts(root["searchPaths"], .anyText)
        (repositories, repositoryLimits) = reader.repositories(root["repositories"])
        modules = reader.modules(root["modules"])
        data = reader.text(root["data"], .anyText)
        api = reader.api(root["api"])
        for member in reader.members(root["apis"], keys: .apiName) {
            apis[member.key] = reader.api(member.field, required: ["url"])
        }
        trust = reader.trust(root["trust"])
        if let field = root["database"] {
            reader.checkObject(field, keys: ["url"], required: ["url"])
            database = reader.text(field["url"], .anyText)
        }
        for member in reader.members(root["log"]) {
            log[member.key] = reader.choice(member.field, among: Self.logLevels)
        }
        try reader.finish()
    }
}

extension DocumentReader {
    /// Reads the modules; their names must differ.
    fileprivate mutating func modules(_ field: Field?) -> [HostConfiguration.Module] {
        var earlier = FirstOccurrences<String>()
        return items(field).compactMap { field in
            checkObject(field, keys: ["name", "path", "configuration"], required: ["name"])
            let path = text(field["path"], .anyText)
            let configuration = members(field["configuration"]).map {
                ManifestValue.Member(key: $0.key, value: plainValue($0.field))
            }
            guard let nameField = field["name"], let name = text(nameField, .moduleName) else { return nil }
            if let first = earlier.insert(name, at: nameField.value.position) {
                report(
                    nameField,
                    "Module \(Wording.quoted(name)) appears twice; the first is on line \(first.line).")
            }
            return HostConfiguration.Module(name: name, path: path, configuration: configuration)
        }
    }

    /// Reads the repositories: folders, or objects with a folder and what its modules may reach.
    fileprivate mutating func repositories(_ field: Field?) -> ([String], [String: Capabilities]) {
        var (folders, limits): ([String], [String: Capabilities]) = ([], [:])
        var earlier = FirstOccurrences<ManifestValue>()
        for item in items(field) {
            var folder = item
            if case .object = item.value.plain {
                checkObject(item, keys: ["folder", "capabilities"], required: ["folder"])
                guard let named = item["folder"] else { continue }
                folder = named
            }
            checkUnique(folder, &earlier)
            guard let text = text(folder, .repository) else { continue }
            folders.append(text)
            limits[text] = capabilities(item["capabilities"])
        }
        return (folders, limits)
    }

    fileprivate mutating func api(_ field: Field?, required: [String] = []) -> HostConfiguration.API {
        var api = HostConfiguration.API()
        guard let field else { return api }
        checkObject(
            field,
            keys: [
                "url", "timeLimit", "attempts", "ca", "certificate", "key", "authorization", "paging",
            ] + APISetting.general.map(\.key) + ["endsPathsWithSlash", "headers"], required: required)
        if let url = field["url"], let text = text(url) {
            do {
                api.url = try ServerURL(text)
            } catch {
                report(
                    url,
                    "'\(error.url)' is not the URL of a server: \(error.reason). "
                        + "For example: '\(ServerURLError.example)'.")
            }
        }
        if let limit = number(field["timeLimit"], in: 0.1...3600) { api.timeLimit = limit }
        if let attempts = number(field["attempts"], in: 1...10, isWhole: true) {
            api.attempts = Int(attempts)
        }
        api.authority = text(field["ca"], .anyText)
        api.certificate = text(field["certificate"], .anyText)
        api.key = text(field["key"], .anyText)
        if let key = field["key"], field["certificate"] == nil {
            report(key, "'key' belongs to a 'certificate', which is missing.")
        }
        let authorization = field["authorization"]
        if let secret = authorization?["clientSecret"], authorization?["clientID"] == nil {
            report(secret, "'clientSecret' belongs to a 'clientID', which is missing.")
        }
        readConventions(field, &api)
        return api
    }

    private mutating func readConventions(_ field: Field, _ api: inout HostConfiguration.API) {
        api.authorization = texts(field["authorization"], APISetting.authorization, others: ["members"])
        api.tokenMembers = values(field["authorization"]?["members"], names: .memberPath)
        api.paging = texts(field["paging"], APISetting.paging, others: ["firstPage"])
        if let first = number(field["paging"]?["firstPage"], in: 0...1, isWhole: true) {
            api.firstPage = Int(first)
        }
        api.headers = values(field["headers"], names: .keyField)
        api.endsPathsWithSlash = flag(field["endsPathsWithSlash"])
        for setting in APISetting.general {
            guard let member = field[setting.key], let value = text(member, setting) else { continue }
            api.texts.updateValue(value, forKey: setting.key)
        }
    }

    /// Reads an object of values that requests have.
    private mutating func values(_ field: Field?, names: TextFormat) -> [String: String] {
        var values: [String: String] = [:]
        for member in members(field, keys: names) { values[member.key] = text(member.field, .headerValue) }
        return values
    }

    /// Reads an object of strings, by key.
    private mutating func texts(
        _ field: Field?, _ settings: [APISetting], others: [String] = []
    ) -> [String: String?] {
        guard let field else { return [:] }
        checkObject(field, keys: settings.map(\.key) + others)
        var values: [String: String?] = [:]
        for setting in settings {
            guard let member = field[setting.key], let value = text(member, setting) else { continue }
            values.updateValue(value, forKey: setting.key)
        }
        return values
    }

    /// Reads a string or null; nil if it is neither.
    private mutating func text(_ field: Field, _ setting: APISetting) -> String?? {
        if setting.mayBeNull, field.value.plain == .null { return .some(nil) }
        return text(field, setting.format).map { .some($0) }
    }

    /// Reads the trust settings; policy `signed` needs a key.
    fileprivate mutating func trust(_ field: Field?) -> HostConfiguration.Trust {
        guard let field else { return HostConfiguration.Trust() }
        checkObject(field, keys: ["policy", "keys", "typedCode"])
        let policy: HostConfiguration.Trust.Policy? = choice(field["policy"])
        let keys = texts(field["keys"], .publicKey)
        if policy == .signed, field["keys"]?.value.items.isEmpty ?? true, let policy = field["policy"] {
            report(policy, "Policy 'signed' needs a key in 'keys'; 'minisign -G' makes one.")
        }
        return HostConfiguration.Trust(
            policy: policy ?? .any, keys: keys, allowsTypedCode: flag(field["typedCode"]) ?? false)
    }
}
