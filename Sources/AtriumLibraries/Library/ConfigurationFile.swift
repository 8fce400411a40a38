@_spi(Host) package import AtriumKit
package import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// The host's configuration from `modules.json`, with absolute paths.
package struct ConfigurationFile {
    package let path: String
    package let host: HostConfiguration

    /// Reads a configuration file.
    ///
    /// - Parameter path: The file; nil for `modules.json` in the working folder, else the installed one.
    /// - Returns: The configuration.
    /// - Throws: ``ConfigurationError`` if there is no file; if it is invalid, with every finding; or if it
    ///   belongs to another user and was not named.
    package static func find(_ path: String?) throws -> ConfigurationFile {
        let candidates = path.map { [$0] } ?? ["modules.json", Installation.current.configuration]
        // A dangling or circular link counts as present: falling back to another file would be a surprise.
        guard let found = candidates.first(where: { FileSystem.owners(of: $0) != nil }) else {
            let names = candidates.map { "'\($0)'" }.joined(separator: " or ")
            throw ConfigurationError(
                code: "configurationMissing", message: "There is no configuration file \(names).",
                hint: path != nil
                    ? "Correct the path behind --config."
                    : "Start in the folder of modules.json, or name it with --config FILE.",
                cause: nil)
        }
        if path == nil, found == candidates[0], let owner = FileSystem.strangers(to: found).first {
            throw ConfigurationError.foreign(found, owner: owner)
        }
        let absolute = FileSystem.absolute(found)
        let bytes: [UInt8]
        do {
            bytes = try FileContents.read(absolute)
        } catch {
            throw ConfigurationError(
                code: "configurationUnreadable", message: error.message,
                hint: "Name a file that you can read with --config FILE.", cause: error)
        }
        do {
            return ConfigurationFile(path: absolute, host: try HostConfiguration(json: bytes, file: found))
        } catch {
            throw ConfigurationError(
                code: "configurationInvalid", message: "The configuration is invalid: \(error.sentence)",
                hint: "Correct '\(found)'. The documentation page 'Configuration' describes its keys.",
                cause: error)
        }
    }

    /// The modules, with absolute paths.
    package var modules: [HostConfiguration.Module] {
        host.modules.map { module in
            var module = module
            module.path = module.path.map(absolute)
            return module
        }
    }

    /// The modules, and the named one that comes with the host, unless the file has it already.
    package func modules(with name: String?) -> [HostConfiguration.Module] {
        guard let name, !host.modules.contains(where: { $0.name == name }) else { return modules }
        return modules + [HostConfiguration.Module(name: name)]
    }

    /// The database for environment local.
    ///
    /// - Returns: The URL of a database; nil for files.
    /// - Throws: ``ConfigurationError`` if it is not a database URL, contains a password, or is in a variable
    ///   that is not set.
    package func database() throws -> DatabaseURL? {
        try host.database.map { try DatabaseURL($0) }
    }

    /// The folders to search for libraries; by default the folder of the modules that come with the host.
    package var searchPaths: [String] {
        host.searchPaths.isEmpty ? [Installation.current.modules] : host.searchPaths.map(absolute)
    }

    /// The folders of the repositories, absolute.
    package var repositories: [String] {
        host.repositories.map { absolute(HostConfiguration.folder(ofRepository: $0)) }
    }

    /// The absolute folders of the repositories, with the limits of their modules.
    package var repositoryLimits: [(folder: String, limit: Capabilities?)] {
        zip(repositories, host.repositories).map { ($0, host.repositoryLimits[$1]) }
    }

    /// The server's API, with absolute paths; `authority`, if not nil, replaces the configured one.
    ///
    /// `authority` is relative to the working folder.
    package func api(authority: String?) -> HostConfiguration.API {
        var api = absolute(host.api)
        if let authority { api.authority = FileSystem.absolute(authority) }
        return api
    }

    /// The named APIs, with absolute paths.
    package var apis: [String: HostConfiguration.API] { host.apis.mapValues(absolute) }

    private func absolute(_ api: HostConfiguration.API) -> HostConfiguration.API {
        var api = api
        api.authority = api.authority.map(absolute)
        api.certificate = api.certificate.map(absolute)
        api.key = api.key.map(absolute)
        return api
    }

    /// The data folder; nil if the file names none.
    package var dataFolder: String? { host.data.map(absolute) }

    /// A path resolved against the file's folder.
    func absolute(_ path: String) -> String {
        FileSystem.absolute(
            path, in: String(self.path.prefix(upTo: self.path.lastIndex(of: "/") ?? self.path.startIndex)))
    }
}

extension FileSystem {
    /// The owners of a file, and of the link that leads to it; nil if neither exists.
    fileprivate static func owners(of path: String) -> [uid_t]? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        let owner = status.st_uid
        guard status.st_mode & S_IFMT == S_IFLNK, stat(path, &status) == 0 else { return [owner] }
        return [owner, status.st_uid]
    }

    /// The owners of a file who are neither this user nor root.
    fileprivate static func strangers(to path: String) -> [uid_t] {
        (owners(of: path) ?? []).filter { $0 != 0 && $0 != geteuid() }
    }
}

extension ConfigurationError {
    fileprivate static func foreign(_ path: String, owner: uid_t) -> ConfigurationError {
        ConfigurationError(
            code: "configurationForeign",
            message:
                "The file '\(path)' in this folder belongs to user \(owner). It says which libraries are "
                + "loaded and where passwords are sent, so it was not used.",
            hint: "Read it; if you trust it, name it: --config \(path)", cause: nil)
    }
}

/// A reason why the host's configuration can't be used.
package struct ConfigurationError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package let cause: (any Error)?

    package init(code: ErrorCode, message: String, hint: String?, cause: (any Error)?) {
        (self.code, self.message, self.hint, self.cause) = (code, message, hint, cause)
    }
    package var category: ErrorCategory { .usage }
}
