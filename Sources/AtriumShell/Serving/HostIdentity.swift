package import AtriumKit
internal import Glibc

/// What a host that serves says of itself, and what a client may insist on.
package struct HostIdentity: Sendable {
    /// What became of a host's own front end.
    package enum Kind: String, Sendable {
        /// A prompt at a terminal.
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

    /// How the process before this one ended, if that was unexpected.
    package let crash: (any ExplainedError)?

    package init(
        kind: Kind, environment: Environment, api: String?, authority: String?, configurationFile: String,
        crash: (any ExplainedError)? = nil
    ) {
        self.kind = kind
        self.crash = crash
        self.environment = environment
        self.api = api
        self.authority = authority.map(Self.realPath)
        self.configurationFile = Self.realPath(configurationFile)
    }

    /// The path without links, so that two names of a file are the same; as it is if there is no file.
    static func realPath(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// The version of the protocol; see Docs/protocol.md.
    package static let protocolVersion = 1

    /// The options that name something else than what the running host has.
    func differences(from wanted: RPCParameters) -> [String] {
        let present = [
            ("env", environment.rawValue), ("api", api ?? "none"), ("ca", authority ?? "the system's"),
            ("config", configurationFile),
        ]
        return present.compactMap { name, value in
            guard let text = wanted.text(name), text != value else { return nil }
            return "--\(name) \(text) (it has \(value))"
        }
    }
}

extension Options {
    /// What only a host of its own would have, if the one that runs has something else.
    var wantedOfHost: JSONObject {
        var wanted = JSONObject()
        if let environment { wanted["env"] = .string(environment.rawValue) }
        if let api { wanted["api"] = .string("\(api)") }
        if let authority { wanted["ca"] = .string(HostIdentity.realPath(authority)) }
        if let configurationFile { wanted["config"] = .string(HostIdentity.realPath(configurationFile)) }
        return wanted
    }
}

/// The front end of a scene in another process than the host's.
@MainActor
package protocol AttachedFrontEnd {
    /// Asks the host for a scene.
    ///
    /// - Throws: ``ShellError`` with the host's reason if it gives none.
    func begin() async throws -> AttachedShell.Beginning
    /// Works until one of both ends.
    func run() async throws -> ExitStatus
}
