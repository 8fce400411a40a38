@_spi(Host) package import AtriumKit
internal import AtriumStorage
internal import Glibc

/// An inotify queue: the events of the folders that were added to it.
final class Inotify: Sendable {
    /// Readable when there are events; closed by ``close()``.
    let descriptor: CInt
    /// The events of a folder whose contents are watched.
    static let contents =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | itself
    /// The events of a folder on the path: it was deleted or moved.
    static let itself = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)

    /// An event in a watched folder.
    struct Event {
        /// The watch of the folder.
        let watch: CInt
        /// Bits of `IN_…`.
        let kind: UInt32
        /// The name in the folder; empty for the folder itself.
        let name: String

        func has(_ bits: some BinaryInteger) -> Bool { kind & UInt32(bits) != 0 }
    }

    /// - Throws: ``ModuleError`` if the system allows no more queues.
    init() throws {
        descriptor = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
        guard descriptor >= 0 else { throw ModuleError.notWatched(nil, errno: errno) }
    }

    /// Watches a folder, or changes the events watched in it.
    ///
    /// - Returns: The number of the watch; nil if the folder no longer exists.
    /// - Throws: ``ModuleError`` if the system refuses.
    func add(_ folder: String, _ kinds: UInt32) throws -> CInt? {
        let watch = inotify_add_watch(descriptor, folder, kinds | UInt32(IN_ONLYDIR))
        if watch >= 0 { return watch }
        guard errno == ENOENT || errno == ENOTDIR else { throw ModuleError.notWatched(folder, errno: errno) }
        return nil
    }

    func remove(_ watch: CInt) {
        inotify_rm_watch(descriptor, watch)
    }

    /// Takes all events out of the queue.
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

    /// Layout: inotify(7), `struct inotify_event`, followed by the name's bytes, padded with zeros.
    private static func event(_ bytes: inout Slice<UnsafeRawBufferPointer>) -> Event? {
        let size = MemoryLayout<inotify_event>.size
        guard bytes.count >= size else { return nil }
        let head = UnsafeRawBufferPointer(rebasing: bytes).loadUnaligned(as: inotify_event.self)
        let name = bytes.dropFirst(size).prefix(Int(head.len)).prefix { $0 != 0 }
        bytes = bytes.dropFirst(size + Int(head.len))
        return Event(watch: head.wd, kind: head.mask, name: String(decoding: name, as: UTF8.self))
    }
}

extension ModuleError {
    // The folder is nil if no queue could be opened.
    static func notWatched(_ folder: String?, errno: CInt) -> ModuleError {
        // inotify_add_watch(2): ENOSPC means the number of watches, not disk space.
        let isLimit = errno == ENOSPC || errno == EMFILE
        let reason = isLimit ? "the system allows no more watches" : SystemError.current.reason
        return ModuleError(
            .notWatched, "\(folder.map { "The folder '\($0)'" } ?? "Files") can't be watched: \(reason).",
            hint: isLimit ? "Raise fs.inotify.max_user_watches and fs.inotify.max_user_instances." : nil)
    }
}

extension ErrorCode {
    /// Files can't be watched for changes.
    package static let notWatched: ErrorCode = "notWatched"
}
