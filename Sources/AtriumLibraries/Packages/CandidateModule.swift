@_spi(Host) internal import AtriumKit
package import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// A module's library to be checked before use: a copy, from which other builds can be made.
package struct CandidateModule {
    package let manifest: ModuleManifest
    /// The path of the copy.
    package let library: String

    /// Copies the libraries at a path: a single one, those in a folder, or those that a package builds.
    ///
    /// - Throws: ``ModuleError`` if there are none, or one can't be read.
    package static func copies(
        of path: String, to folder: String, announce: @escaping @MainActor (String) -> Void
    ) async throws -> [CandidateModule] {
        let path = FileSystem.normalized(FileSystem.absolute(path))
        let libraries: [String]
        switch try ModuleSource(path: path) {
        case .library(let library): libraries = [library]
        case .folder(let found): libraries = found
        case .package(let package): libraries = try await PackageBuild(package).run { announce($0) }
        }
        return try libraries.map { try CandidateModule(copying: $0, to: folder) }
    }

    private init(copying path: String, to folder: String) throws {
        manifest = try DiscoveredLibrary(RandomAccessFile(path)).manifest
        library = "\(folder)/lib\(manifest.name).so"
        try Self.copy(path, to: library)
        // The contracts beside it, where they are found.
        for contract in manifest.contracts {
            let files = [contract.contractLibrary, "lib\(contract.name).so"]
            let found = files.map { "\(FileSystem.folder(of: path))/\($0)" }.first(where: FileSystem.exists)
            if let found { try Self.copy(found, to: "\(folder)/\(contract.contractLibrary)") }
        }
    }

    private static func copy(_ path: String, to copy: String) throws {
        let bytes = try FileContents.read(path, limit: RandomAccessFile.sizeLimit)
        try AtomicFile.write(bytes, to: copy, synchronizing: false)
    }

    /// Replaces the copy by another build: a byte after the end, which no loader reads, changes the digest.
    package func rebuild() throws {
        let bytes = try FileContents.read(library, limit: RandomAccessFile.sizeLimit)
        try AtomicFile.write(bytes + [0], to: library, synchronizing: false)
    }
}
