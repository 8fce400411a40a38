@_spi(Host) public import AtriumKit
public import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// The host's configuration as `modules.json` gives it, with its paths made absolute.
public struct ConfigurationFile {
    /// Where it was found.
    public let path: String
    /// What it says.
    public let host: HostConfiguration

    /// Reads a configuration file.
    ///
    /// - Parameter path: The file; nil for `modules.json` in the working folder, else beside the executable.
    /// - Throws: ``ConfigurationError`` where there is none, or it is invalid; every finding is told.
    public static func find(_ path: String?) throws -> ConfigurationFile {
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
    public var modules: [HostConfiguration.Module] {
        host.modules.map { module in
            var module = module
            module.path = module.path.map(absolute)
            return module
        }
    }

    /// The folders in which libraries are looked for; the executable's where none are given.
    public var searchPaths: [String] {
        host.searchPaths.isEmpty ? [FileSystem.executableFolder] : host.searchPaths.map(absolute)
    }

    /// The data folder, where it gives one.
    public var dataFolder: String? { host.data.map(absolute) }

    private func absolute(_ path: String) -> String {
        FileSystem.absolute(path, in: String(self.path.prefix(upTo: self.path.lastIndex(of: "/") ?? self.path.startIndex)))
    }
}

extension Environment {
    /// The environment that a configuration names.
    public init(_ name: HostConfiguration.Environment) {
        switch name {
        case .mock: self = .mock
        case .local: self = .local
        case .live: self = .live
        }
    }
}

/// Why the host's configuration can't be used.
public struct ConfigurationError: ExplainedError {
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    public let cause: (any Error)?
    public var category: ErrorCategory { .usage }

    static func missing(_ paths: [String], isExplicit: Bool) -> ConfigurationError {
        ConfigurationError(
            code: "configurationMissing",
            message: "There is no configuration file \(paths.map { "'\($0)'" }.joined(separator: " or ")).",
            hint: isExplicit
                ? "Correct the path behind --config." : "Start in the folder of modules.json, or name it with --config FILE.",
            cause: nil)
    }

    static func unreadable(_ error: any Error) -> ConfigurationError {
        let explained = error as? any ExplainedError
        return ConfigurationError(
            code: "configurationUnreadable", message: explained?.message ?? "The configuration can't be read.",
            hint: "Name a file that you can read with --config FILE.", cause: error)
    }

    static func invalid(_ path: String, _ error: ManifestError) -> ConfigurationError {
        ConfigurationError(
            code: "configurationInvalid", message: "The configuration is invalid: \(error.sentence)",
            hint: "Correct '\(path)'; its keys are described in Sources/AtriumKit/Schemas/modules.schema.json.", cause: error)
    }
}
