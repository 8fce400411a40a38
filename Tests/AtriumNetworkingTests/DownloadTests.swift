import AtriumKit
import AtriumNetworking
import AtriumTesting
import Glibc
import Synchronization
import Testing

@Suite("An answer that goes to a file")
struct DownloadTests {
    private let path = "/tmp/atrium-download-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    private let call = Endpoint<NoAnswer>(.get, "v1/rows/export").call

    @Test("It is asked for with the token, renewed where it must be, and reported")
    func download() async throws {
        defer { unlink(path) }
        let client = try TestClient(tokens: .sample()) {
            $0.isForTokens ? .tokens(2) : $0.token == "access-ada-2" ? .json("{}\n{}") : .unauthorized
        }
        let reported = Mutex<[TransferProgress]>([])

        try await client.manager.download(call, to: path) { progress in
            reported.withLock { $0.append(progress) }
        }

        #expect(content() == "{}\n{}")
        #expect(reported.withLock { $0 } == [TransferProgress(received: 5, expected: 5)])
        #expect(client.requests("/export").map(\.token) == ["access-ada-1", "access-ada-2"])
        #expect(client.requests("/export")[0].timeLimit == .seconds(600))
    }

    @Test("An answer that is an error leaves what was there")
    func failed() async throws {
        defer { unlink(path) }
        let turns = Turns([.success(.json("before")), .success(.json("", status: 404))])
        let client = try TestClient { _ in try turns.next() }
        try await client.manager.download(call, to: path) { _ in }

        let error = await failure { try await client.manager.download(call, to: path) { _ in } }

        #expect(error?.status == 404)
        #expect(content() == "before")
    }

    private func content() -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1_000)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
