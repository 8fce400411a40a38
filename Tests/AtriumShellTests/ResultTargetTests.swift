import Glibc
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumRedirection

/// `> FILE` and `>> FILE`: a result is written whole, or the file is as it was.
@MainActor
@Suite("Files for results")
struct ResultTargetTests {
    @Test("A failed command that wrote nothing leaves the file, and nothing where nothing was")
    func failed() async throws {
        let folder = TemporaryFolder()
        let former = folder.write("former".utf8, to: "former")
        for path in [former, folder.path("new")] {
            for appends in [false, true] {
                let target = try await open(path, appends: appends)
                try await target.close(keeps: false)
            }
        }

        #expect(contents(former) == Array("former".utf8))
        #expect(folder.names() == ["former"])
    }

    @Test("A result replaces the file or is appended to it, and an empty one is a result too")
    func written() async throws {
        let folder = TemporaryFolder()
        let former = folder.write("former".utf8, to: "former")

        for (text, appends, expected) in [("a", true, "formera"), ("b", false, "b"), ("", false, "")] {
            let target = try await open(former, appends: appends)
            if !text.isEmpty { #expect(write(text, to: target) == nil) }
            try await target.close(keeps: true)

            #expect(contents(former) == Array(expected.utf8))
        }
        #expect(folder.names() == ["former"])
    }

    @Test("A write that fails leaves the file, and nothing where nothing was", arguments: [false, true])
    func full(_ appends: Bool) async {
        if appends {
            await #expect(processExitsWith: .success) { try await checkFull(appends: true) }
        } else {
            await #expect(processExitsWith: .success) { try await checkFull(appends: false) }
        }
    }
}

/// Writes more than files may have, to a file that exists and to one that does not.
@MainActor
private func checkFull(appends: Bool) async throws {
    let folder = TemporaryFolder()
    let former = folder.write("former".utf8, to: "former")
    limitFileSize(10_000)
    for path in [former, folder.path("new")] {
        let target = try await open(path, appends: appends)

        #expect(write(String(repeating: "x", count: 5_000), to: target) == nil)
        #expect(write(String(repeating: "x", count: 6_000), to: target) == EFBIG)
        try await target.close(keeps: false)
    }
    #expect(contents(former) == Array("former".utf8))
    #expect(folder.names() == ["former"])
}

@MainActor
private func open(_ path: String, appends: Bool) async throws -> any ResultTarget {
    try await LocalTarget.open(.file(Word(text: path, start: 0), appends: appends))
}

@MainActor
private func write(_ text: String, to target: any ResultTarget) -> CInt? {
    Array(text.utf8).withUnsafeBytes { target.write($0) }
}

/// Limits the size of files that this process writes, permanently; for exit tests.
private func limitFileSize(_ bytes: UInt) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = bytes
    setrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit)
}
