package import AtriumKit
internal import AtriumLibraries
internal import AtriumText
internal import Glibc

/// The identity of a serving host, with everything that a client may insist on.
package struct HostIdentity: Sendable {
    /// The kind of a host's own front end.
    package enum Kind: String, Sendable {
        case terminal
        /// A script, with which the host ends.
        case script
        /// None: `atrium serve`.
        case none
    }

    package let kind: Kind
    package let environment: Environment
    /// The server of environment live; nil if there is none.
    package let api: String?
    package let authority: String?
    package let configurationFile: String
    /// The URL of the database, without secrets; nil for files.
    package let database: String?
    /// The options for which modules are loaded and how they are tried, as full options, by name.
    private let startOptions: [String: String]

    /// The unexpected end of the previous process, if there was one.
    package let crash: (any ExplainedError)?

    package init(
        kind: Kind, environment: Environment, api: String?, configurationFile: String,
        database: String? = nil, authority: String? = nil, startOptions: [String: String] = [:],
        crash: (any ExplainedError)? = nil
    ) {
        self.kind = kind
        self.startOptions = startOptions
        self.crash = crash
        self.environment = environment
        self.api = api
        self.database = database
        self.authority = authority.map(Self.realPath)
        self.configurationFile = Self.realPath(configurationFile)
    }

    /// The path with symbolic links resolved, so that two names of a file are equal; else the path itself.
    package static func realPath(_ path: String) -> String {
        FileSystem.realPath(path) ?? path
    }

    /// The version of the protocol; see Docs/protocol.md.
    package static let protocolVersion = 1

    /// The host as clients see it.
    package var json: JSONObject {
        [
            "version": .string(HostVersion.current), "process": .integer(Int64(getpid())),
            "environment": .string(environment.rawValue), "kind": .string(kind.rawValue),
            "crash": crash.map {
                ["message": .string($0.message), "hint": $0.hint.map { .string($0) } ?? .null]
            } ?? .null,
        ]
    }

    /// The options whose values differ from those of the running host.
    package func differences(from wanted: RPCParameters) -> [String] {
        let present = [
            ("env", environment.rawValue), ("api", api ?? "none"), ("ca", authority ?? "the system's"),
            ("config", configurationFile), ("database", database ?? "files"),
        ]
        let named = present.map { (key: $0, option: "--\($0) ", value: $1) }
        let whole = startOptions.sorted { $0.key < $1.key }.map { (key: $0.key, option: "", value: $0.value) }
        return (named + whole).compactMap { key, option, value in
            guard let text = wanted.text(key), text != value else { return nil }
            return "\(option)\(text) (it has \(value))"
        }
    }
}
