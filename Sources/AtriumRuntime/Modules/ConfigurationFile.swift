@_spi(Host) package import AtriumKit
package import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// The host's configuration as `modules.json` gives it, with its paths made absolute.
package struct ConfigurationFile {
    /// Where it was found.
    package let path: String
    /// What it says.
    package let host: HostConfiguration

    /// Reads a configuration file.
    ///
    /// - Parameter path: The file; nil for `modules.json` in the working folder, else beside the executable.
    /// - Returns: What the file says.
    /// - Throws: ``ConfigurationError`` if there is none, or it is invalid; with every finding.
    package static func find(_ path: String?) throws -> ConfigurationFile {
        let candidates = path.map { [$0] } ?? ["modules.json", "\(FileSystem.executableFolder)/modules.json"]
        guard let found = candidates.first(where: FileSystem.exists) else {
            throw ConfigurationError.missing(candidates, isExplicit: path != nil)
        }
        let absolute = FileSystem.absolute(found, in: FileSystem.workingFolder)
        let bytes: [UInt8]
        do {
            bytes = try FileContents.read(absolute)
        } catch {
            throw ConfigurationError.unreadable(error)
        }
        do {
            return ConfigurationFile(path: absolute, host: try HostConfiguration(json: bytes, file: found))
        } catch {
            throw ConfigurationError.invalid(found, error)
        }
    }

    /// The modules, their paths absolute.
    package var modules: [HostConfiguration.Module] {
        host.modules.map { module in
            var module = module
            module.path = module.path.map(absolute)
            return module
        }
    }

    /// The folders to search for libraries; by default the executable's.
    package var searchPaths: [String] {
        host.searchPaths.isEmpty ? [FileSystem.executableFolder] : host.searchPaths.map(absolute)
    }

    /// The data folder; nil if it names none.
    package var dataFolder: String? { host.data.map(absolute) }

    private func absolute(_ path: String) -> String {
        FileSystem.absolute(
            path, in: String(self.path.prefix(upTo: self.path.lastIndex(of: "/") ?? self.path.startIndex)))
    }
}

extension Environment {
    /// The environment that a configuration names.
    package init(_ name: HostConfiguration.Environment) {
        switch name {
        case .mock: self = .mock
        case .local: self = .local
        case .live: self = .live
        }
    }
}

/// Why the host's configuration can't be used.
package struct ConfigurationError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package let cause: (any Error)?
    package var category: ErrorCategory { .usage }

    static func missing(_ paths: [String], isExplicit: Bool) -> ConfigurationError {
        ConfigurationError(
            code: "configurationMissing",
            message: "There is no configuration file \(paths.map { "'\($0)'" }.joined(separator: " or ")).",
            hint: isExplicit
                ? "Correct the path behind --config."
                : "Start in the folder of modules.json, or name it with --config FILE.",
            cause: nil)
    }

    static func unreadable(_ error: any Error) -> ConfigurationError {
        let explained = error as? any ExplainedError
        return ConfigurationError(
            code: "configurationUnreadable",
            message: explained?.message ?? "The configuration can't be read.",
            hint: "Name a file that you can read with --config FILE.", cause: error)
    }

    static func invalid(_ path: String, _ error: ManifestError) -> ConfigurationError {
        ConfigurationError(
            code: "configurationInvalid", message: "The configuration is invalid: \(error.sentence)",
            hint:
                "Correct '\(path)'; its keys are described in Sources/AtriumKit/Schemas/modules.schema.json.",
            cause: error)
    }
}
