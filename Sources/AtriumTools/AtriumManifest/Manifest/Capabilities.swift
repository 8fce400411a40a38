/// A part of the host that a module may reach.
public enum Capability: Sendable, Hashable, Codable {
    /// Its own database.
    case database
    /// The changes that services announce, of all hosts.
    case changes
    /// The signed-in user.
    case session
    /// Other programs, which no context offers.
    case programs
    case files(FileUse)
    /// An API, by its name in `modules.json`, `api` for the one without a name; or the address of a server.
    case network(String)

    /// The ways to use files.
    public enum FileUse: String, Sendable, Codable, CaseIterable {
        /// The folder of the module.
        case folder
        /// Files that a user names for an action to read.
        case `import`
        /// Files that a user names for an action to write.
        case export
    }

    /// The name of the API without a name.
    public static let api = "api"

    /// The member of `"capabilities"` that declares it: `"files": ["export"]`.
    public var line: String {
        value.map { "\"\(key)\": [\"\($0)\"]" } ?? "\"\(key)\": true"
    }

    /// The capability as the object of a sentence.
    public var phrase: String {
        switch self {
        case .database: "its database"
        case .changes: "live changes"
        case .session: "the signed-in user"
        case .programs: "other programs"
        case .files(.folder): "a folder for its files"
        case .files(.import): "files to import"
        case .files(.export): "files to export"
        case .network(Self.api): "the server's API"
        case .network(let name): "the API '\(name)'"
        }
    }

    /// The item of the list under its key; nil for one that is true.
    var value: String? {
        switch self {
        case .files(let use): use.rawValue
        case .network(let name): name
        default: nil
        }
    }

    var key: String {
        switch self {
        case .database: "database"
        case .changes: "changes"
        case .session: "session"
        case .programs: "programs"
        case .files: "files"
        case .network: "network"
        }
    }
}

/// The capabilities that a manifest declares, or that `modules.json` allows the modules of a repository.
public struct Capabilities: Sendable, Hashable, Codable {
    /// In the order of the keys below, then of the file.
    public let list: [Capability]

    public init(_ list: [Capability]) { self.list = list }

    /// True if a capability is listed; an API also by the address of its `server`.
    public func allow(_ capability: Capability, server: String? = nil) -> Bool {
        if list.contains(capability) { return true }
        guard case .network = capability, let server, let url = try? ServerURL(server) else { return false }
        return list.contains {
            guard case .network(let address) = $0 else { return false }
            return (try? ServerURL(address))?.origin == url.origin
        }
    }

    /// The list in words, such as `database, session, files (import, export), network (api)`.
    public var words: String {
        let plain = list.filter { $0.value == nil }.map(\.key)
        let grouped = ["files", "network"].compactMap { key in
            let values = list.filter { $0.key == key }.compactMap(\.value)
            return values.isEmpty ? nil : "\(key) (\(values.joined(separator: ", ")))"
        }
        let words = plain + grouped
        return words.isEmpty ? "none" : words.joined(separator: ", ")
    }
}

extension DocumentReader {
    /// Reads `"capabilities"`; nil if there are none.
    mutating func capabilities(_ field: Field?) -> Capabilities? {
        guard let field else { return nil }
        checkObject(field, keys: ["database", "changes", "session", "programs", "files", "network"])
        var list: [Capability] = []
        for capability in [Capability.database, .changes, .session, .programs] {
            if flag(field[capability.key]) == true { list.append(capability) }
        }
        var earlier = FirstOccurrences<ManifestValue>()
        for item in items(field["files"]) {
            checkUnique(item, &earlier)
            let use: Capability.FileUse? = choice(item)
            if let use { list.append(.files(use)) }
        }
        list += texts(field["network"], .networkName).map(Capability.network)
        return Capabilities(list)
    }
}

extension TextFormat {
    /// An API, or the address of a server.
    static let networkName = TextFormat(
        name: "API",
        allowed: "the name of an API in modules.json, 'api' for the one without a name, or the "
            + "address of a server", example: "https://api.example.com"
    ) { apiName.accepts($0) || (try? ServerURL($0))?.path.isEmpty == true }
}
