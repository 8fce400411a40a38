@_spi(Host) package import AtriumKit
internal import Glibc

extension ModuleError {
    // MARK: - Sources

    private static let expectation =
        "Give a module library, a folder with some, or the folder of a Swift package."

    static func noSource(_ path: String, errno: CInt) -> ModuleError {
        let problem = errno == ENOENT ? "There is nothing at '\(path)'." : nil
        return ModuleError(
            .libraryNotFound, problem ?? "'\(path)' can't be read: \(String(cString: strerror(errno))).",
            hint: expectation)
    }

    static func unreadableFolder(_ folder: String, errno: CInt) -> ModuleError {
        ModuleError(
            .libraryNotFound, "The folder '\(folder)' can't be read: \(String(cString: strerror(errno))).",
            hint: expectation)
    }

    static func noModulesIn(_ folder: String, libraries: Int) -> ModuleError {
        let found =
            switch libraries {
            case 0: "has neither a Package.swift nor libraries (lib*.so) in it"
            case 1: "has one library in it, which has no manifest, so it is not a module"
            default: "has \(libraries) libraries in it, none of which has a manifest, so they are not modules"
            }
        return ModuleError(.noModules, "The folder '\(folder)' \(found).", hint: expectation)
    }

    // MARK: - Builds

    static func noToolchain(_ folder: String) -> ModuleError {
        ModuleError(
            .noToolchain, "There is no 'swift' in PATH to build the package '\(folder)' with.",
            hint:
                "Install the toolchain from https://www.swift.org/install/linux/, or add a library that is built."
        )
    }

    static func buildFailed(_ folder: String, _ reason: ExitReason, _ errors: [String]) -> ModuleError {
        let what = errors.isEmpty ? "'swift build' \(reason)." : errors.joined(separator: "; ")
        return ModuleError(
            .buildFailed, "The package '\(folder)' can't be built: \(what)",
            hint: "Run 'swift build -c release --package-path \(folder)' to see all of it.")
    }

    static func noModulesBuilt(_ folder: String) -> ModuleError {
        ModuleError(
            .noModules, "The package '\(folder)' was built, but no module is among its libraries.",
            hint:
                "A module is a library product of type .dynamic whose target has a module.json and the build "
                + "plugin EmbedManifest.")
    }
}

extension ErrorCode {
    /// There is no module in what was given.
    package static let noModules: ErrorCode = "noModules"
    /// There is no Swift toolchain.
    package static let noToolchain: ErrorCode = "noToolchain"
    /// A package can't be built.
    package static let buildFailed: ErrorCode = "buildFailed"
}
