@_spi(Host) import AtriumKit
import AtriumStorage
import Glibc
import TestSupport
import Testing

@Suite struct FolderLockTests {
    private let temporary = TemporaryFolder()
    private var folder: DataFolder {
        get throws { try DataFolder(explicit: temporary.path) }
    }
    private var path: String { temporary.path(FolderLock.fileName) }

    /// Takes the lock as a host of version 1.2.3 that starts in 1970.
    private func take(
        patience: Duration = .zero, report: (any ExplainedError) -> Void = { _ in }
    ) async throws -> FolderLock {
        let lock = try await FolderLock.take(
            folder, version: "1.2.3", now: Timestamp(microseconds: 0), patience: patience, report: report)
        return try #require(lock)
    }

    @Test("A folder of a later format is refused, and not touched; the version before is known")
    func formats() async throws {
        try await take().release()
        let former = try FolderLock.checkFormat(of: folder)
        let later = #"{"process":1,"version":"9.0.0","since":0,"format":2}"#
        temporary.write(later.utf8, to: FolderLock.fileName)
        let before = contents(path)

        let error = #expect(throws: StorageError.self) { try FolderLock.checkFormat(of: folder) }

        #expect(former == "1.2.3")
        #expect(error?.code == "dataFolderNewer")
        #expect(error?.category == .usage)
        #expect(
            error?.message
                == "The data folder '\(temporary.path)' was written by Atrium 9.0.0 in format 2; this host "
                + "knows formats up to 1. Nothing in it was changed.")
        #expect(contents(path) == before)
    }

    @Test("A folder without a lock's file, or with one that can't be read, is of no later format")
    func noFormat() throws {
        #expect(try FolderLock.checkFormat(of: folder) == nil)
        temporary.write("not JSON".utf8, to: FolderLock.fileName)
        #expect(try FolderLock.checkFormat(of: folder) == nil)
    }

    @Test("A second host is told which host has the folder, and how to go on")
    func names() async throws {
        let first = try await take()

        let error = await #expect(throws: StorageError.self) { try await take() }

        #expect(error?.code == .dataFolderInUse)
        #expect(error?.category == .usage)
        #expect(
            error?.message
                == "The data folder '\(temporary.path)' is in use by another host: process \(getpid()), version "
                + "1.2.3, since 1970-01-01 00:00 UTC.")
        #expect(
            error?.hint
                == "Leave that host, end it with 'kill \(getpid())', or choose another folder with --data DIR."
        )
        first.release()
    }

    @Test("A second host waits until the first has ended")
    func waits() async throws {
        let first = try await take()
        let waiting = Task { try await take(patience: .seconds(600)) }
        await Task.yield()

        first.release()
        let second = try await waiting.value

        await #expect(throws: StorageError.self) { try await take() }
        second.release()
        #expect(temporary.names() == [FolderLock.fileName])
    }

    @Test(
        "A host that has not said who it is is another host", arguments: ["", "{", "[]", "{\"process\":1}"])
    func unnamed(text: String) async throws {
        let first = try await take()
        temporary.write(text.utf8, to: FolderLock.fileName)

        let error = await #expect(throws: StorageError.self) { try await take() }

        #expect(error?.message == "The data folder '\(temporary.path)' is in use by another host.")
        #expect(error?.hint == "End that host first, or choose another folder with --data DIR.")
        first.release()
    }

    @Test("A process that is forked does not keep the lock when the host has ended")
    func forked() async throws {
        await #expect(processExitsWith: .success) {
            let temporary = TemporaryFolder()
            let folder = try DataFolder(explicit: temporary.path)
            let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
            let first = try await FolderLock.take(folder, version: "1", now: Timestamp(microseconds: 0)) {
                _ in
            }

            let child = fork()
            if child == 0 {
                while true { pause() }
            }
            first?.release()
            defer { kill(child, SIGKILL) }

            // The copy closes the file once it runs.
            try await FolderLock.take(folder, version: "1", now: Timestamp(microseconds: 0)) { _ in }
        }
    }

    @Test("What is in place of the lock's file is renamed and reported")
    func replaced() async throws {
        for make in [
            { _ = mkdir($0, 0o700) }, { _ = symlink("nothing", $0) }, { _ = symlink($0, $0) },
            { _ = mkfifo($0, 0o600) },
        ] as [(String) -> Void] {
            make(path)
            var problems: [any ExplainedError] = []

            let lock = try await take { problems.append($0) }

            #expect(
                problems.map(\.message) == ["The file '\(path)' can't be read: it is not a regular file."])
            lock.release()
            unlink(path)
        }
        let names = ["", "-2", "-3", "-4"].map { FolderLock.fileName + ".damaged" + $0 }
        #expect(temporary.names() == names)
    }

    @Test("A folder that can't be written is refused")
    func unwritable() async throws {
        let missing = try DataFolder(explicit: temporary.path("missing"))

        let error = await #expect(throws: StorageError.self) {
            try await FolderLock.take(missing, version: "1", now: Timestamp(microseconds: 0)) { _ in }
        }

        #expect(error?.code == .dataFolderUnwritable)
        #expect(
            error?.message == "The data folder '\(missing.path)' can't be used: No such file or directory.")
    }
}
