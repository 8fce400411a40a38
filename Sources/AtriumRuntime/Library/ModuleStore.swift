internal import AtriumStorage
internal import Glibc

/// The private copies that libraries are loaded from, each named by its content's digest.
///
/// A build product is never loaded itself: overwriting a mapped library kills the process, and opening a
/// path again gives the old image (DESIGN section 3, fact 4).
struct ModuleStore {
    private let folder: String

    /// - Parameter folder: Where the copies are kept; created when the first one is.
    init(folder: String) {
        self.folder = folder
    }

    /// Copies a library into the store, unless the same content is there already.
    ///
    /// - Returns: The path of the copy.
    func copy(_ file: RandomAccessFile) throws -> StoredLibrary {
        guard let bytes = try file.bytes(at: 0, count: file.size) else { throw ModuleError.truncated(file.path) }
        let digest = ContentDigest(of: bytes)
        let path = "\(folder)/\(digest).so"
        var status = stat()
        if stat(path, &status) != 0 || UInt64(status.st_size) != file.size {
            try makeFolder()
            try AtomicFile.write(bytes, to: path)
        }
        return StoredLibrary(path: path, digest: digest)
    }

    private func makeFolder() throws {
        guard mkdir(folder, 0o700) != 0, errno != EEXIST else { return }
        throw ModuleError.storeUnwritable(folder, errno: errno)
    }
}

/// A library in the store.
struct StoredLibrary {
    let path: String
    let digest: ContentDigest
}
