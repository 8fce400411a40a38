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
    /// A file whose identity (device, inode, size, times of change) is known is not read again; only its
    /// owner can give a file an earlier time of change than the system's.
    ///
    /// - Returns: The path of the copy.
    func copy(_ file: RandomAccessFile) throws -> StoredLibrary {
        let mark = "\(folder)/known/\(file.identity)"
        if let digest = FileSystem.linkTarget(mark), let library = stored(digest, size: file.size) {
            return library
        }
        guard let bytes = try file.bytes(at: 0, count: file.size) else {
            throw ModuleError.truncated(file.path)
        }
        let digest = ContentDigest(of: bytes).description
        try FileSystem.makeFolder(folder)
        try FileSystem.makeFolder("\(folder)/known")
        if stored(digest, size: file.size) == nil { try AtomicFile.write(bytes, to: path(of: digest)) }
        // Without the mark the file is read again next time; nothing else depends on it.
        symlink(digest, mark)
        return StoredLibrary(path: path(of: digest), digest: digest)
    }

    private func path(of digest: String) -> String {
        "\(folder)/\(digest).so"
    }

    /// The copy of this digest, where it is complete.
    private func stored(_ digest: String, size: UInt64) -> StoredLibrary? {
        let path = path(of: digest)
        var status = stat()
        guard stat(path, &status) == 0, UInt64(status.st_size) == size else { return nil }
        return StoredLibrary(path: path, digest: digest)
    }
}

/// A library in the store.
struct StoredLibrary {
    let path: String
    /// The BLAKE2b digest of its content.
    let digest: String
}
