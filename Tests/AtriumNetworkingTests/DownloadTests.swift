import AtriumKit
import AtriumNetworking
import AtriumTesting
import Synchronization
import TestSupport
import Testing

@Suite("Downloads")
struct DownloadTests {
    private let folder = TemporaryFolder()
    private let path: String
    private let call = Endpoint<NoAnswer>(.get, "v1/rows/export").with {
        $0.fields["Accept"] = "text/csv;q=1, Application/X-NDJSON, application/problem+json"
    }.call

    init() {
        path = folder.write("before".utf8, to: "rows")
    }

    @Test("A download is sent with a token, refreshed if needed, and reports progress")
    func download() async throws {
        let client = try TestClient(tokens: .sample()) {
            $0.isForTokens ? .tokens(2) : $0.token == "access-ada-2" ? Self.lines("{}\n{}") : .unauthorized
        }
        let reported = Mutex<[TransferProgress]>([])

        try await client.manager.download(call, to: path) { progress in
            reported.withLock { $0.append(progress) }
        }

        #expect(contents(path) == Array("{}\n{}".utf8))
        #expect(folder.names() == ["rows"])
        #expect(reported.withLock { $0 } == [TransferProgress(received: 5, expected: 5)])
        #expect(client.requests("/export").map(\.token) == ["access-ada-1", "access-ada-2"])
        #expect(client.requests("/export")[0].timeLimit == .seconds(600))
    }

    @Test(
        "A response of an accepted type, or without a type, is valid",
        arguments: ["application/x-ndjson; charset=utf-8", "TEXT/CSV", nil])
    func accepted(type: String?) async throws {
        let client = try TestClient { _ in Self.answer("a,b", type) }

        try await client.manager.download(call, to: path) { _ in }

        #expect(contents(path) == Array("a,b".utf8))
    }

    @Test(
        "Accept may have wildcards; the default is JSON",
        arguments: [
            ("text/*", "text/csv", true), ("text/*", "textual/csv", false), ("*/*", "text/html", true),
            (nil, "application/json", true), (nil, "text/csv", false),
        ])
    func groups(accept: String?, type: String, isTaken: Bool) async throws {
        let client = try TestClient { _ in Self.answer("{}", type) }
        var call = call
        call.fields["Accept"] = accept

        let error = await failure { try await client.manager.download(call, to: path) { _ in } }

        #expect((error == nil) == isTaken)
    }

    @Test("An invalid response leaves the existing file unchanged", arguments: Refusal.all)
    func refused(example: Refusal) async throws {
        let client = try TestClient { _ in example.answer }

        let error = await failure { try await client.manager.download(call, to: path) { _ in } }

        #expect(error?.message == "GET v1/rows/export \(example.what)")
        #expect(error?.code == example.code)
        #expect(error?.status == example.answer.status)
        #expect(contents(path) == Array("before".utf8))
        #expect(folder.names() == ["rows"])
        #expect(await client.manager.metrics.endpoints[0].errors == 1)
    }

    @Test("A body above the size limit is not searched for an error")
    func large() async throws {
        let body = #"{"errorCode": 7, "filler": "\#(String(repeating: "x", count: 100))"}"#
        let client = try TestClient(configure: { $0.answerLimit = 99 }) { _ in Self.lines(body) }

        try await client.manager.download(call, to: path) { _ in }

        #expect(contents(path) == Array(body.utf8))
    }

    @Test("A file that can't be published is named in the error")
    func unplaced() async throws {
        let client = try TestClient { _ in Self.lines("{}") }

        let missing = await failure {
            try await client.manager.download(call, to: folder.path("none/rows")) { _ in }
        }
        let taken = await failure { try await client.manager.download(call, to: folder.path) { _ in } }

        #expect(
            missing?.message
                == "GET v1/rows/export failed: The file \(folder.path("none/rows")) can't be written.")
        #expect(taken?.message == "'\(folder.path)' can't be written: Is a directory.")
        #expect(taken?.code == "fileUnwritable")
        #expect(folder.names() == ["rows"])
    }

    private static func lines(_ body: String) -> HTTPResponse { answer(body, "application/x-ndjson") }

    static func answer(_ body: String, _ type: String?, status: Int = 200) -> HTTPResponse {
        var fields = HTTPFields()
        fields["Content-Type"] = type
        return HTTPResponse(status: status, fields: fields, body: Array(body.utf8))
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let answer: HTTPResponse
        let code: ErrorCode
        let what: String
        var testDescription: String { what }

        private static let otherwise = "returned an invalid response: "

        static let all = [
            Refusal(
                answer: DownloadTests.answer("{}", "application/json", status: 404), code: .serverError,
                what: "was answered with status 404."),
            Refusal(
                answer: DownloadTests.answer(
                    #"{"errorCode": 4711, "errorMsg": "Closed"}"#, "application/json"),
                code: .serverError, what: "was answered with error 4711. Closed."),
            Refusal(
                answer: DownloadTests.answer(#"{"errorCode": 4711}"#, "application/x-ndjson"),
                code: .serverError, what: "was answered with error 4711."),
            Refusal(
                answer: DownloadTests.answer("<html>", "text/html; charset=utf-8"), code: .invalidResponse,
                what: otherwise + "text/html instead of text/csv or application/x-ndjson."),
            Refusal(
                answer: DownloadTests.answer("{}", "application/problem+json"), code: .invalidResponse,
                what: otherwise + "application/problem+json instead of text/csv or application/x-ndjson."),
            Refusal(
                answer: DownloadTests.answer("", nil, status: 204), code: .invalidResponse,
                what: otherwise + "status 204 instead of the whole file."),
            Refusal(
                answer: DownloadTests.answer("a,", "text/csv", status: 206), code: .invalidResponse,
                what: otherwise + "status 206 instead of the whole file."),
        ]
    }
}
