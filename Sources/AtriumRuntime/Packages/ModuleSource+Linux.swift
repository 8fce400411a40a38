internal import Glibc

/// What a path names that modules can come from.
package enum ModuleSource: Hashable, Sendable {
    /// A module library.
    case library(String)
    /// The module libraries of a folder, by name; one at least.
    case folder([String])
    /// The folder of a SwiftPM package, which has to be built.
    case package(String)

    /// Looks at what is there; a folder with both a Package.swift and libraries is a package.
    ///
    /// Reads the header and the table of sections of each library in a folder, and runs nothing.
    ///
    /// - Throws: ``ModuleError`` that says what was found instead.
    package init(path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw ModuleError.noSource(path, errno: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR where FileSystem.exists("\(path)/Package.swift"):
            self = .package(path)
        case S_IFDIR:
            let libraries = try ModuleLibraries.libraries(in: path)
            let modules = libraries.filter(ModuleLibraries.isModule)
            guard !modules.isEmpty else {
                throw ModuleError.noModulesIn(path, libraries: libraries.count)
            }
            self = .folder(modules)
        case S_IFREG:
            guard try ELFFile(RandomAccessFile(path)).section(ModuleLibraries.section) != nil else {
                throw ModuleError.noManifest(path)
            }
            self = .library(path)
        default:
            throw ModuleError.notALibrary(path, "it is neither a file nor a folder")
        }
    }
}
