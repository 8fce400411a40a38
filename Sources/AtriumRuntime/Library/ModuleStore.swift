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
    /// A file whose identity (device, inode, size, times of change) is known is not read again, as long as the
    /// copy that was made of it has its identity too: a copy that something damaged is made anew.
    ///
    /// - Returns: The copy, and whether it was there already.
    func copy(_ file: RandomAccessFile) throws -> StoredCopy {
        let mark = "\(folder)/known/\(file.identity)"
        if let library = known(mark) { return StoredCopy(library: library, wasKnown: true) }
        guard let bytes = try file.bytes(at: 0, count: file.size) else {
            throw ModuleError.truncated(file.path)
        }
        guard file.isUnchanged else { throw ModuleError.changedWhileRead(file.path) }
        let library = StoredLibrary(folder, digest: ContentDigest(of: bytes).description)
        try FileSystem.makeFolder(folder)
        try FileSystem.makeFolder("\(folder)/known")
        if !isIntact(library) {
            // What a failure of the machine leaves of it is known by its digest, or by its identity.
            try AtomicFile.write(bytes, to: library.path, synchronizing: false)
        }
        // Without the mark the file is read again next time; nothing else depends on it.
        unlink(mark)
        if let identity = FileSystem.identity(of: library.path) {
            symlink("\(library.digest)/\(identity)", mark)
        }
        return StoredCopy(library: library, wasKnown: false)
    }

    /// Removes a copy that nothing returns to; a process that has mapped it keeps what it mapped.
    func forget(_ library: StoredLibrary) {
        unlink(library.path)
    }

    /// The copy that has a digest; nil where there is none, or it is damaged.
    func library(_ digest: String) -> StoredLibrary? {
        let library = StoredLibrary(folder, digest: digest)
        return isIntact(library) ? library : nil
    }

    /// The copy that a mark leads to, where it is as it was when the mark was made.
    private func known(_ mark: String) -> StoredLibrary? {
        guard let parts = FileSystem.linkTarget(mark)?.split(separator: "/"), parts.count == 2 else {
            return nil
        }
        let library = StoredLibrary(folder, digest: String(parts[0]))
        return FileSystem.identity(of: library.path) == String(parts[1]) ? library : nil
    }

    /// Whether the copy has the content that its name promises.
    private func isIntact(_ library: StoredLibrary) -> Bool {
        guard let file = try? RandomAccessFile(library.path),
            let bytes = try? file.bytes(at: 0, count: file.size)
        else { return false }
        return ContentDigest(of: bytes).description == library.digest
    }
}

/// What came of copying a library into the store.
struct StoredCopy {
    let library: StoredLibrary
    /// Whether the file was known by its identity, so that nothing of it was read.
    let wasKnown: Bool
    var path: String { library.path }
}

/// A library in the store.
struct StoredLibrary: Sendable, Hashable {
    let path: String
    /// The BLAKE2b digest of its content.
    let digest: String

    init(path: String, digest: String) {
        self.path = path
        self.digest = digest
    }

    fileprivate init(_ folder: String, digest: String) {
        self.path = "\(folder)/\(digest).so"
        self.digest = digest
    }
}
