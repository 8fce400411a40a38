import AtriumKit
import AtriumStorage
import Glibc
import TestSupport
import Testing

@Suite struct FileContentsTests {
    @Test("Files of any size are read whole", arguments: [0, 1, 4095, 4096, 4097, 1_000_000])
    func reads(count: Int) throws {
        let folder = TemporaryFolder()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try AtomicFile.write(bytes, to: folder.path("a"), synchronizing: false)

        #expect(try FileContents.read(folder.path("a")) == bytes)
        #expect(try FileContents.readIfPresent(folder.path("a")) == bytes)
    }

    @Test("A kernel file that reports size 0 is read whole")
    func kernelFile() throws {
        #expect(try FileContents.read("/proc/self/maps").count > 4096)
    }

    @Test("A missing file is an error for `read` and nil for `readIfPresent`")
    func missing() throws {
        let error = #expect(throws: StorageError.self) { try FileContents.read("/nowhere/file") }

        #expect(error?.code == .notFound)
        #expect(error?.message == "The file '/nowhere/file' can't be read: No such file or directory.")
        #expect(error?.hint == nil)
        #expect(try FileContents.readIfPresent("/nowhere/file") == nil)
    }

    @Test("A folder can't be read as a file")
    func folder() {
        let folder = TemporaryFolder()

        let error = #expect(throws: StorageError.self) { try FileContents.readIfPresent(folder.path) }

        #expect(error?.code == .fileUnreadable)
        #expect(error?.message == "The file '\(folder.path)' can't be read: Is a directory.")
        #expect(error?.hint == "Check the permissions of the file and its folder.")
    }

    @Test("Devices and pipes are refused at once", arguments: ["/dev/zero", "pipe"])
    func special(name: String) {
        let folder = TemporaryFolder()
        mkfifo(folder.path("pipe"), 0o600)
        let path = name.hasPrefix("/") ? name : folder.path(name)

        let error = #expect(throws: StorageError.self) { try FileContents.read(path) }

        #expect(error?.code == .fileUnreadable)
        #expect(error?.message == "The file '\(path)' can't be read: it is not a regular file.")
        #expect(error?.hint == "Put a regular file in its place, or name another one.")
    }

    @Test("A file above the size limit is refused; one at the limit is read")
    func tooLarge() throws {
        let folder = TemporaryFolder()
        let path = folder.path("a")
        try AtomicFile.write([1, 2, 3], to: path, synchronizing: false)

        let short = #expect(throws: StorageError.self) { try FileContents.read(path, limit: 2) }
        let bytes = try FileContents.read(path, limit: 3)
        truncate(path, 5_000_000_000)
        let huge = #expect(throws: StorageError.self) { try FileContents.read(path) }
        let kernel = #expect(throws: StorageError.self) {
            try FileContents.read("/proc/self/maps", limit: 100)
        }

        #expect(short?.message == "The file '\(path)' can't be read: it is larger than 2 bytes.")
        #expect(bytes == [1, 2, 3])
        #expect(huge?.code == .fileUnreadable)
        #expect(huge?.message == "The file '\(path)' can't be read: it is larger than 16 MB.")
        #expect(huge?.hint == "Put a smaller file in its place, or name another one.")
        #expect(
            kernel?.message == "The file '/proc/self/maps' can't be read: it is larger than 100 bytes.")
    }

    @Test("An allowed pipe is read until its writer closes it, even if it writes late and slowly")
    func namedPipe() async throws {
        let folder = TemporaryFolder()
        let path = folder.path("pipe")
        mkfifo(path, 0o600)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }

        // Opening waits for the reader, and a pipe holds only 64 KB at a time.
        let writer = Thread {
            let descriptor = open(path, O_WRONLY)
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, min($0.count, 7000)) }
                guard count > 0 else { break }
                rest.removeFirst(count)
            }
            close(descriptor)
        }
        let read = try FileContents.read(path, allowsPipes: true)
        writer.join()

        #expect(read == bytes)
    }

    @Test("A pipe of the shell's <(…) is read within the limit, even after its writer has ended")
    func shellPipe() throws {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        defer { close(ends[0]) }
        write(ends[1], "abc", 3)
        close(ends[1])
        var others: [Int32] = [0, 0]
        pipe(&others)
        defer { for end in others { close(end) } }
        write(others[1], "abc", 3)

        let read = try FileContents.read("/dev/fd/\(ends[0])", allowsPipes: true)
        let error = #expect(throws: StorageError.self) {
            try FileContents.read("/dev/fd/\(others[0])", limit: 2, allowsPipes: true)
        }
        let device = #expect(throws: StorageError.self) {
            try FileContents.read("/dev/zero", allowsPipes: true)
        }

        #expect(read == Array("abc".utf8))
        #expect(
            error?.message == "The file '/dev/fd/\(others[0])' can't be read: it is larger than 2 bytes.")
        #expect(device?.message == "The file '/dev/zero' can't be read: it is not a regular file.")
    }
}

/// A thread that may block, for the other end of a pipe.
private final class Thread {
    private var identifier = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Body(body)).toOpaque()
        pthread_create(
            &identifier, nil,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, context)
    }

    /// Waits until the thread has ended.
    func join() {
        pthread_join(identifier, nil)
    }

    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
