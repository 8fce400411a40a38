internal import AtriumKit
internal import AtriumStorage
internal import Glibc

package enum ModuleSource: Hashable, Sendable {
    case library(String)
    /// The module libraries of a folder, sorted by name; at least one.
    case folder([String])
    /// The folder of a SwiftPM package to build.
    case package(String)

    /// Determines the source at a path; a folder with both a Package.swift and libraries is a package.
    ///
    /// Reads the header and the section table of each library in a folder, and runs nothing.
    ///
    /// - Throws: ``ModuleError`` that says what the path is instead.
    package init(path: String) throws {
        guard let status = FileStatus(of: path) else { throw ModuleError.noSource(path, errno: errno) }
        switch status.kind {
        case .folder where FileSystem.exists("\(path)/Package.swift"):
            self = .package(path)
        case .folder:
            let libraries = try ModuleLibraries.libraries(in: path)
            let modules = libraries.filter(ModuleLibraries.isModule)
            guard !modules.isEmpty else { throw ModuleError.noModulesIn(path, libraries: libraries.count) }
            self = .folder(modules)
        case .file:
            guard try ELFFile(RandomAccessFile(path)).section(ModuleLibraries.section) != nil else {
                throw DiscoveredContract.isContract(path)
                    ? ModuleError.isContract(path) : ModuleError.noManifest(path)
            }
            self = .library(path)
        default:
            throw ModuleError.notALibrary(path, "it is neither a file nor a folder")
        }
    }
}

/// Finds module libraries, which are shared libraries with a manifest; none of their code runs.
package enum ModuleLibraries {
    /// The section that holds the manifest.
    package static let section = ".atrium.manifest"

    /// The paths of all `lib*.so` in a folder, sorted by name.
    ///
    /// - Throws: ``ModuleError`` if the folder can't be read.
    package static func libraries(in folder: String) throws -> [String] {
        guard let names = Folder.names(in: folder) else {
            throw ModuleError.unreadableFolder(folder, errno: errno)
        }
        return names.filter { $0.hasPrefix("lib") && $0.hasSuffix(".so") }.map {
            folder.hasSuffix("/") ? "\(folder)\($0)" : "\(folder)/\($0)"
        }
    }

    /// True if a file is a complete shared library with a manifest.
    static func isModule(_ path: String) -> Bool {
        (try? ELFFile(RandomAccessFile(path)).section(section)) != nil
    }
}

extension ModuleError {
    private static let expectation =
        "Give a module library, a folder with some, or the folder of a Swift package."

    static func noSource(_ path: String, errno: CInt) -> ModuleError {
        let problem = errno == ENOENT ? "There is nothing at '\(path)'." : nil
        return ModuleError(
            .libraryNotFound, problem ?? "'\(path)' can't be read: \(SystemError.current.reason).",
            hint: expectation)
    }

    static func isContract(_ path: String) -> ModuleError {
        ModuleError(
            "isContract", "'\(path)' is a contract, which is opened with the modules that are built on it.",
            hint: "Add one of these modules; the contract is found beside its library or in a search path.")
    }

    static func unreadableFolder(_ folder: String, errno: CInt) -> ModuleError {
        ModuleError(
            .libraryNotFound, "The folder '\(folder)' can't be read: \(SystemError.current.reason).",
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
}
