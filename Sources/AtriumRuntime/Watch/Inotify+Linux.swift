internal import Glibc

/// A queue of inotify: what happens in the folders that were added to it.
final class Inotify: Sendable {
    /// Readable when something happened; closed by ``close()``.
    let descriptor: CInt
    /// What is told of a folder in which something is waited for.
    static let contents =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | itself
    /// What is told of a folder on the way: that it went.
    static let itself = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)

    /// Something that happened.
    struct Event {
        /// The watch of the folder in which it did.
        let watch: CInt
        /// Bits of `IN_…`.
        let kind: UInt32
        /// The name in the folder; empty where it happened to the folder itself.
        let name: String

        func has(_ bits: some BinaryInteger) -> Bool { kind & UInt32(bits) != 0 }
    }

    /// - Throws: ``ModuleError`` where the system allows no more queues.
    init() throws {
        descriptor = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
        guard descriptor >= 0 else { throw ModuleError.notWatched(nil, errno: errno) }
    }

    /// Watches a folder, or changes what is watched in it.
    ///
    /// - Returns: The number of the watch; nil where there is no such folder any more.
    /// - Throws: ``ModuleError`` where the system refuses.
    func add(_ folder: String, _ kinds: UInt32) throws -> CInt? {
        let watch = inotify_add_watch(descriptor, folder, kinds | UInt32(IN_ONLYDIR))
        if watch >= 0 { return watch }
        guard errno == ENOENT || errno == ENOTDIR else { throw ModuleError.notWatched(folder, errno: errno) }
        return nil
    }

    func remove(_ watch: CInt) {
        inotify_rm_watch(descriptor, watch)
    }

    /// Takes what happened out of the queue; empty where nothing did.
    func read() -> [Event] {
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
            var events: [Event] = []
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return events }
                var rest = UnsafeRawBufferPointer(buffer)[..<count]
                while let event = Self.event(&rest) { events.append(event) }
            }
        }
    }

    func close() {
        Glibc.close(descriptor)
    }

    /// Layout: inotify(7), `struct inotify_event`, with the name's bytes behind it, filled up with zeros.
    private static func event(_ bytes: inout Slice<UnsafeRawBufferPointer>) -> Event? {
        let size = MemoryLayout<inotify_event>.size
        guard bytes.count >= size else { return nil }
        let head = UnsafeRawBufferPointer(rebasing: bytes).loadUnaligned(as: inotify_event.self)
        let name = bytes.dropFirst(size).prefix(Int(head.len)).prefix { $0 != 0 }
        bytes = bytes.dropFirst(size + Int(head.len))
        return Event(watch: head.wd, kind: head.mask, name: String(decoding: name, as: UTF8.self))
    }
}
