internal import AtriumKit
internal import AtriumStorage
internal import CSodium
internal import Glibc

/// The private copies that libraries are loaded from, named by the digests of their contents.
///
/// A build product is never loaded itself: overwriting a mapped library kills the process, and opening a
/// path again gives the old image (DESIGN section 3, fact 4).
package struct ModuleStore: Sendable {
    /// The folder of the copies; created with the first copy.
    let folder: String

    package init(folder: String) {
        self.folder = folder
    }

    /// Copies a library into the store, unless the same content is there already.
    ///
    /// A file whose identity (device, inode, size, change times) is known is not read again, while its copy
    /// still has the identity that it was made with: a damaged copy is replaced.
    ///
    /// - Returns: The copy, and whether the file was known by its identity and not read.
    func copy(_ file: RandomAccessFile) throws -> (library: StoredLibrary, wasKnown: Bool) {
        if let library = known(file) { return (library, true) }
        guard let bytes = try file.bytes(at: 0, count: file.size) else {
            throw ModuleError.truncated(file.path)
        }
        guard file.isUnchanged else { throw ModuleError.changedWhileRead(file.path) }
        let library = stored(ContentDigest(of: bytes).description)
        try FileSystem.makeFolder(folder)
        try FileSystem.makeFolder("\(folder)/known")
        if !isIntact(library) {
            // A file can't replace a folder.
            if FileStatus(of: library.path, followsLinks: false)?.kind == .folder {
                _ = DamagedFile.rename(library.path)
            }
            // Not synchronized: the digest or the identity reveals damage by a power failure.
            try AtomicFile.write(bytes, to: library.path, synchronizing: false)
        }
        // If writing the mark fails, the file is only read again next time.
        let mark = mark(of: file)
        unlink(mark)
        if let identity = FileSystem.identity(of: library.path) {
            symlink("\(library.digest)/\(identity)", mark)
        }
        return (library, false)
    }

    /// Makes ``copy(_:)`` read a file again.
    func forget(_ file: RandomAccessFile) { unlink(mark(of: file)) }

    /// Removes a copy that no rollback returns to; a process that has mapped it keeps its mapping.
    package func remove(_ library: StoredLibrary) {
        unlink(library.path)
    }

    /// The copy with a digest; nil if there is none, or it is damaged.
    func library(_ digest: String) -> StoredLibrary? {
        let library = stored(digest)
        return isIntact(library) ? library : nil
    }

    package var digests: [String] {
        (Folder.names(in: folder) ?? []).filter { $0.hasSuffix(".so") }.map { String($0.dropLast(3)) }
    }

    private func stored(_ digest: String) -> StoredLibrary {
        StoredLibrary(path: "\(folder)/\(digest).so", digest: digest)
    }

    /// The symbolic link that stores the copy of a file and the copy's identity.
    private func mark(of file: RandomAccessFile) -> String { "\(folder)/known/\(file.identity)" }

    /// The copy of a file that ``copy(_:)`` would not read again.
    func known(_ file: RandomAccessFile) -> StoredLibrary? {
        guard let parts = FileSystem.linkTarget(mark(of: file))?.split(separator: "/"), parts.count == 2
        else { return nil }
        let library = stored(String(parts[0]))
        return FileSystem.identity(of: library.path) == String(parts[1]) ? library : nil
    }

    /// True if the copy's contents match the digest in its name.
    private func isIntact(_ library: StoredLibrary) -> Bool {
        guard let file = try? RandomAccessFile(library.path),
            let bytes = try? file.bytes(at: 0, count: file.size)
        else { return false }
        return ContentDigest(of: bytes).description == library.digest
    }
}

package struct StoredLibrary: Sendable, Hashable {
    package let path: String
    /// The BLAKE2b digest of its content.
    let digest: String

    package init(path: String, digest: String) {
        (self.path, self.digest) = (path, digest)
    }
}

/// The BLAKE2b digest of a file's contents, as `b2sum` prints it.
package struct ContentDigest: Hashable, CustomStringConvertible {
    package static let byteCount = 64
    package let bytes: [UInt8]
    /// 128 lower-case hexadecimal digits.
    package let description: String

    package init(of content: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        crypto_generichash(&digest, digest.count, content, UInt64(content.count), nil, 0)
        self.init(bytes: digest)
    }

    /// Parses a ``description``; nil for any other text.
    package init?(hexadecimal text: String) {
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        var count = 0
        let status = sodium_hex2bin(&digest, digest.count, text, text.utf8.count, nil, &count, nil)
        guard status == 0, count == digest.count else { return nil }
        self.init(bytes: digest)
        guard description == text else { return nil }
    }

    package init(bytes: [UInt8]) {
        self.bytes = bytes
        description = bytes.hexadecimal
    }
}

extension [UInt8] {
    /// Two lower-case digits a byte.
    package var hexadecimal: String {
        let length = 2 * count
        return String(unsafeUninitializedCapacity: length + 1) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                _ = text.baseAddress.map { sodium_bin2hex($0, length + 1, self, count) }
            }
            return length
        }
    }
}
