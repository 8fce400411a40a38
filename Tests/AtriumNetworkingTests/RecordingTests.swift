import AtriumKit
import AtriumTesting
import TestSupport
import Testing

@testable import AtriumNetworking

@Suite("Recordings of requests answer them later, and hold no secret")
struct RecordingTests {
    private let folder = TemporaryFolder()
    private let configuration: APIConfiguration

    init() throws {
        var configuration = try APIConfiguration(url: "http://server.test")
        configuration.conventions.authorization.passwordMember = "pin"
        self.configuration = configuration
    }

    /// Sends requests over a recording transport; returns the text of the file.
    private func record(
        _ requests: [HTTPRequest], continuing earlier: HTTPRecording? = nil,
        _ reply: @escaping ScriptedTransport.Reply
    ) async throws -> String {
        let recorder = try HTTPRecorder(
            folder.path("a.har"), continuing: earlier, version: "1", clock: FixedClock())
        let transport = recorder.recording(ScriptedTransport(reply), of: configuration)
        for request in requests { _ = try? await transport.send(request) }
        try recorder.finish()
        return String(decoding: contents(folder.path("a.har")), as: UTF8.self)
    }

    private func replay(_ text: String) throws -> HTTPReplay {
        HTTPReplay(try HTTPRecording(Array(text.utf8), file: "a.har"), of: configuration)
    }

    private func send(_ request: HTTPRequest, to replay: HTTPReplay) async -> String {
        do {
            let response = try await replay.send(request)
            return "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
        } catch let error as TransportError {
            return "\(error.message) \(error.hint ?? "")"
        } catch {
            return "\(error)"
        }
    }

    private static func request(
        _ method: HTTPMethod, _ path: String, _ body: String? = nil, type: String = "application/json",
        token: String? = nil
    ) -> HTTPRequest {
        var fields: HTTPFields = ["Content-Type": type]
        if let token { fields.append("Authorization", "Bearer \(token)") }
        return HTTPRequest(
            method, "http://server.test\(path)", fields: fields,
            body: body.map { .bytes(Array($0.utf8)) } ?? .none)
    }

    private static let form = "application/x-www-form-urlencoded"

    @Test("Equal requests get their answers in order; a read gets the last before the next change again")
    func order() async throws {
        let (list, create) = (Self.request(.get, "/rows"), Self.request(.post, "/rows", #"{"a": 1, "b": 2}"#))
        let numbers = Numbers(seed: 1)
        let token = Self.request(.post, "/oauth/token", "grant_type=refresh_token", type: Self.form)
        let text = try await record([list, token, list, create, list]) { _ in
            .json(#"{"n": \#(numbers.below(1_000_000))}"#)
        }

        let replay = try replay(text)
        var answers: [String] = []
        // Members in another order are the same body.
        let same = Self.request(.post, "/rows", #"{"b":2,"a":1}"#)
        for request in [list, list, list, same, list, list] {
            answers.append(await send(request, to: replay))
        }
        #expect(answers[0] != answers[1] && answers[1] == answers[2])
        #expect(answers[3].hasPrefix("200"))
        #expect(answers[4] != answers[2] && answers[4] == answers[5])
        #expect(
            await send(create, to: replay)
                == "'a.har' has only one answer to 'POST http://server.test/rows', and it is used. "
                + "Record more of them, or restart the host.")
    }

    @Test("A request that was not recorded is named, with the nearest one")
    func unknown() async throws {
        let text = try await record([Self.request(.get, "/rows?page=1"), Self.request(.post, "/rows", "{}")])
        {
            _ in .json("{}")
        }
        let replay = try replay(text)

        #expect(
            await send(Self.request(.get, "/rows?page=2"), to: replay)
                == "'a.har' has no answer to 'GET http://server.test/rows?page=2'. "
                + "The nearest recorded request is 'GET http://server.test/rows?page=1'.")
        #expect(
            await send(Self.request(.post, "/rows", #"{"a": 1}"#), to: replay)
                == "'a.har' has no answer to 'POST http://server.test/rows'. "
                + "The recording has 'POST http://server.test/rows' with another body.")
    }

    @Test("Secrets are hidden by name and by value, in earlier entries too, and the flow still works")
    func secrets() async throws {
        let signIn = Self.request(
            .post, "/oauth/token", "username=ada&pin=correct+horse", type: Self.form)
        let text = try await record([
            Self.request(.get, "/echo?q=correct%20horse"), signIn,
            Self.request(.get, "/rows", token: "access-1"),
        ]) { request in
            request.isForTokens
                ? .json(#"{"access_token": "access-1", "token_type": "Bearer", "count_of_tokens": 3}"#)
                : .json(
                    #"{"said": "correct horse", "next_page_token": "7", "secret": 1234}"#, status: 200,
                    ["Set-Cookie": "session=abcdefgh; Path=/", "X-Echo": "Bearer access-1"])
        }

        for secret in ["correct", "access-1", "abcdefgh", "1234"] { #expect(!text.contains(secret)) }
        let replay = try replay(text)
        // Another password fits; its answer has the stand-in of the token, which the next request sends.
        let other = Self.request(.post, "/oauth/token", "username=ada&pin=x", type: Self.form)
        let answer = await send(other, to: replay)
        #expect(answer.contains(#""access_token":"redacted-"#))
        #expect(answer.contains(#""token_type":"Bearer""#) && answer.contains(#""count_of_tokens":3"#))
        let rows = await send(Self.request(.get, "/rows", token: "redacted-2"), to: replay)
        #expect(rows.contains(#""next_page_token":"7","said":"redacted-"#) && rows.contains(#""secret":0"#))
    }

    @Test("Failures and bytes are recorded, and a recording can be continued")
    func kinds() async throws {
        let first = try await record([Self.request(.get, "/a"), Self.request(.get, "/b")]) { request in
            guard request.url.hasSuffix("a") else {
                throw TransportError(.serverUnreachable, "Nothing listens.", neverSent: true)
            }
            return HTTPResponse(status: 200, body: [0, 255])
        }
        let earlier = try HTTPRecording(Array(first.utf8), file: "a.har")
        let text = try await record([Self.request(.get, "/c")], continuing: earlier) { _ in .json("{}") }

        let replay = try replay(text)
        #expect(try await replay.send(Self.request(.get, "/a")).body == [0, 255])
        let error = await #expect(throws: TransportError.self) {
            try await replay.send(Self.request(.get, "/b"))
        }
        #expect(error == TransportError(.serverUnreachable, "Nothing listens.", neverSent: true))
        #expect(await send(Self.request(.get, "/c"), to: replay) == "200 {}")
        let path = folder.path("file")
        let response = try await replay.download(Self.request(.get, "/a"), to: path) { _ in }
        #expect(response.body == [] && contents(path) == [0, 255])
    }

    @Test("Of two writes at once, the newer one stays")
    func concurrentWrites() async throws {
        for round in 1...30 {
            let path = folder.path("\(round).har")
            let recorder = try HTTPRecorder(path, continuing: nil, version: "1", clock: FixedClock())
            let transport = recorder.recording(ScriptedTransport { _ in .json("{}") }, of: configuration)
            await withTaskGroup { group in
                for index in 1...8 {
                    group.addTask {
                        _ = try? await transport.send(Self.request(.get, "/\(index)"))
                        try? recorder.finish()
                    }
                }
            }
            #expect(try HTTPRecording(contents(path), file: "a.har").exchanges.count == 8)
        }
    }

    @Test("A browser's archive is read: other members, Base64, bodies that were not saved, its own cache")
    func browser() async throws {
        let replay = try replay(
            """
            \u{FEFF}{"log": {"version": "1.2", "pages": [], "_x": 1, "entries": [
            {"_initiator": {}, "time": 3.5, "request": {"method": "GET", "url": "http://server.test/a#top",
              "headers": [{"name": ":authority", "value": "server.test"}]},
             "response": {"status": 200, "headers": [{"name": "content-encoding", "value": "br"}],
              "content": {"size": 2, "mimeType": "text/plain", "text": "aGk=", "encoding": "base64"}}},
            {"request": {"method": "GET", "url": "http://server.test/b"},
             "response": {"status": 200, "content": {"size": 9, "mimeType": "image/png"}}},
            {"request": {"method": "GET", "url": "http://server.test/c"},
             "response": {"status": 304, "content": {"size": 0}}},
            {"request": {"method": "POST", "url": "http://server.test/d", "postData":
               {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a b", "value": "ö"}]}},
             "response": {"status": 0, "_error": "net::ERR_FAILED", "content": {}}}]}}
            """)

        let response = try await replay.send(Self.request(.get, "/a"))
        #expect(response.body == Array("hi".utf8) && response.fields["Content-Encoding"] == nil)
        #expect(
            await send(Self.request(.get, "/b"), to: replay)
                == "'a.har' has no body for the answer to 'GET http://server.test/b'. "
                + "Record it again; a browser saves bodies with 'Save all as HAR with content'.")
        #expect(await send(Self.request(.get, "/c"), to: replay).hasPrefix("'a.har' has no answer"))
        #expect(
            await send(Self.request(.post, "/d", "a+b=%C3%B6", type: Self.form), to: replay)
                == "net::ERR_FAILED ")
    }

    @Test(
        "A secret is known by its name, wherever it is",
        arguments: [
            ("X-Api-Key", "secret-1"), ("X-Session-Id", "secret-1"),
            ("Location", "/x?page=2&access_token=secret-1#top"), ("Link", "</x?jwt=secret-1>; rel=next"),
            ("Refresh", "0; url=/?token=secret-1"),
            ("", #"{"token": {"value": "secret-1"}, "resetTokens": ["secret-1"]}"#),
            ("", #"{"authorization": "Bearer secret-1"}"#), ("", #"{"auth": "Basic YWRhOnNlY3JldC0x"}"#),
            ("", #"{"see": "https://ada:secret-1@server.test/x and http://server.test/?otp=secret-1."}"#),
            ("", #"{"nested": "{\"password\": \"secret-1\"}"}"#), ("", "user=ada&passwd=secret-1"),
            ("", #"{"pwd": "secret-1", "passphrase": "secret-1", "jwt": "secret-1", "otp": "secret-1"}"#),
            ("", #"{"api_key": "secret-1", "apiKey": "secret-1", "userPin": "secret-1"}"#),
            ("", #"{"privateKey": "secret-1", "session_id": "secret-1", "sessionId": "secret-1"}"#),
            ("", #"{"credentials": {"key": "secret-1", "otp": 123456}}"#),
            ("", "{\"id\": 1}\n{\"tokens\": [\"secret-1\"], \"otp\": 123456}\n"),
            ("", "event: x\ndata: {\"token\": \"secret-1\"}\n\n"), ("", #"[{"password" : "secret-1"}, {"#),
            ("", #"{"password": "secret-1"#), ("", #"log {\"password\": \"secret-1\"}"#),
            ("", #"{'password': 'secret-1'} and token="secret-1""#),
            ("", #"{"pwd": "secret-1", "otp": 123456, "said": "123456", "list": [123456]}"#),
        ])
    func names(field: String, text: String) async throws {
        let recorded = try await record([Self.request(.get, "/rows?at=secret-1")]) { _ in
            field.isEmpty ? .json(text) : .json("{}", status: 200, [field: text])
        }

        for secret in ["secret-1", "YWRh", "123456"] { #expect(!recorded.contains(secret)) }
        #expect(recorded.contains("at=redacted-"))
    }

    @Test("What is about a secret stays")
    func others() async throws {
        let body =
            #"{"author":"Ada Lovelace","pinned":"forever","spin":"clockwise","token":{"expires_in":3600,"#
            + #""type":"Bearer"},"token_url":"http://server.test/t?page=2"}"#
        let text = try await record([Self.request(.get, "/rows?key=value-1&sort=author")]) { _ in .json(body)
        }

        #expect(text.contains(JSONValue.string(body).serialized) && text.contains("?key=value-1&sort=author"))
    }

    @Test(
        "A password that other texts have by chance is hidden only where its name tells it",
        arguments: ["1", "a", "http", "redacted-", "hidden", "server", "entities"])
    func short(password: String) async throws {
        let rows = Self.request(.get, "/entities/1?a=1&scheme=http")
        let text = try await record([
            Self.request(.post, "/sign-in", #"{"password": "\#(password)", "id": "1", "a": "http"}"#),
            Self.request(.post, "/form", "pin=\(password)&page=1", type: Self.form), rows,
        ]) { _ in .json(#"{"id":"1","a":"http","said":"redacted- hidden"}"#) }

        #expect(text.contains(#"{\"a\":\"http\",\"id\":\"1\",\"password\":\"redacted-1\"}"#))
        #expect(text.contains(#""pin=redacted-1&page=1""#))
        let replay = try replay(text)
        for request in [rows, Self.request(.post, "/form", "pin=other&page=1", type: Self.form)] {
            #expect(
                await send(request, to: replay) == #"200 {"id":"1","a":"http","said":"redacted- hidden"}"#)
        }
    }

    @Test("A continued recording hides what is learned later, and tells its secrets from the earlier ones")
    func continued() async throws {
        let first = try await record([
            Self.request(.get, "/echo?q=late-secret"), Self.request(.post, "/a", #"{"password":"early-1"}"#),
        ]) { _ in .json(#"{"said":"late-secret"}"#) }
        let earlier = try HTTPRecording(Array(first.utf8), file: "a.har")
        let text = try await record(
            [Self.request(.post, "/a", #"{"password":"late-secret"}"#)], continuing: earlier
        ) { _ in .json("{}") }

        #expect(first.contains("late-secret") && !text.contains("late-secret"))
        #expect(text.contains("/echo?q=redacted-2") && text.contains(#"{\"password\":\"redacted-1\"}"#))
        #expect(text.contains(#"{\"password\":\"redacted-2\"}"#))
    }

    @Test("A member's name stays, whatever is secret; the key of a request is hidden and not searched for")
    func membersAndKeys() async throws {
        var create = Self.request(.post, "/rows", #"{"password":"key-of-1"}"#)
        create.fields.append("Idempotency-Key", "once-1")
        let text = try await record([create]) { _ in .json(#"{"key-of-1":"once-1 key-of-1"}"#) }

        #expect(text.contains(#"{\"key-of-1\":\"once-1 redacted-1\"}"#))
        #expect(text.contains(#"{"name":"Idempotency-Key","value":"(hidden)"}"#))
    }

    // MARK: - Forms with files

    private static func upload(
        _ boundary: String, _ parts: [(head: String, value: [UInt8])], end: String = "--\r\n",
        type: String = "multipart/form-data; boundary="
    ) -> HTTPRequest {
        var body: [UInt8] = []
        for (head, value) in parts {
            body += Array("--\(boundary)\r\n\(head)\r\n\r\n".utf8) + value + [13, 10]
        }
        return HTTPRequest(
            .post, "http://server.test/files", fields: ["Content-Type": type + boundary],
            body: .bytes(body + Array("--\(boundary)\(end)".utf8)))
    }

    private static func parts(
        pin: String = "7531", file: [UInt8] = [0, 255, 13, 10]
    ) -> [(head: String, value: [UInt8])] {
        let disposition = "Content-Disposition: form-data"
        return [
            (#"\#(disposition); name="title""#, Array("a \"b\"".utf8)),
            (#"\#(disposition); name="pin""#, Array(pin.utf8)),
            ("content-type: image/png\r\n\(disposition); name=file; filename=\"a \\\"b\\\".png\"", file),
        ]
    }

    @Test("An upload is recorded as the fields of its form, and answered whichever boundary it has")
    func uploads() async throws {
        let text = try await record([Self.upload("one", Self.parts())]) { _ in .json(#"{"id":1}"#) }
        let again = Self.upload("two", Self.parts(pin: "8642"))
        let other = Self.upload("three", Self.parts(file: [0, 255]))

        let params =
            #"[{"name":"title","value":"a \"b\""},{"name":"pin","value":"redacted-1"},"#
            + #"{"name":"file","value":"AP8NCg==","_encoding":"base64","fileName":"a \"b\".png","#
            + #""contentType":"image/png"}]"#
        let form = #"{"mimeType":"multipart/form-data; boundary=one","params":\#(params)}"#
        #expect(text.contains(#""postData":\#(form)"#), "\(text)")
        #expect(await send(other, to: try replay(text)).contains("with another body"))
        let continued = try HTTPRecording(Array(text.utf8), file: "a.har")
        let second = try await record([], continuing: continued) { _ in .json("{}") }
        for text in [text, second] {
            #expect(await send(again, to: try replay(text)) == #"200 {"id":1}"#)
        }
    }

    @Test("The upload of a browser's archive, whose form is text, is answered too")
    func browserUpload() async throws {
        let body = "--x\\r\\nContent-Disposition: form-data; name=\\\"a\\\"\\r\\n\\r\\n1\\r\\n--x--\\r\\n"
        let replay = try replay(
            """
            {"log": {"entries": [{"request": {"method": "POST", "url": "http://server.test/files", "postData":
             {"mimeType": "multipart/form-data; boundary=x", "text": "\(body)"}},
             "response": {"status": 200, "content": {"size": 2, "text": "{}"}}}]}}
            """)

        let part = (head: #"Content-Disposition: form-data; name="a""#, value: Array("1".utf8))
        #expect(await send(Self.upload("y", [part]), to: replay) == "200 {}")
    }

    @Test(
        "A body that breaks the format is recorded as it is",
        arguments: [
            "", "--x", "--x--", "--x\r\n--x--", "--y\r\n\r\n--y--",
            "--x\r\nContent-Disposition: form-data; name=a\r\n",
            "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1", "--x\r\nA: b\r\n\r\n1\r\n--x--",
            "--x\r\nContent-Disposition: form-data; name=\"a\r\n\r\n1\r\n--x--\r\n",
            "--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--\r\n", "--x\r\n\r\n1\r\n--x--after",
            "--x\nContent-Disposition: form-data; name=a\n\n1\n--x--\n",
        ])
    func brokenForms(_ body: String) async throws {
        let request = Self.request(.post, "/files", body, type: "multipart/form-data; boundary=x")
        let text = try await record([request]) { _ in .json("{}") }

        #expect(!text.contains("\"params\":") || body == "--x--")
        #expect(await send(request, to: try replay(text)) == "200 {}")
    }

    @Test("An answer that has no body by its status gets none")
    func withoutBody() async throws {
        let replay = try replay(
            """
            {"log": {"entries": [{"request": {"method": "GET", "url": "http://server.test/a"},
             "response": {"status": 204, "content": {"size": 2, "text": "{}"}}}]}}
            """)

        #expect(await send(Self.request(.get, "/a"), to: replay) == "204 ")
    }

    @Test(
        "A damaged archive is named with the place",
        arguments: [
            ("", "'a.har' is not an HTTP Archive: it is empty."),
            ("{\"log\":\n ]", "'a.har' is not an HTTP Archive: it is not JSON at line 2, column 2."),
            ("[]", "'a.har' is not an HTTP Archive: it has no member 'log' with 'entries'."),
            (
                #"{"log": {"entries": [{"request": {}}]}}"#,
                "'a.har' is not an HTTP Archive: entry 1 has no method, URL or status."
            ),
            (#"{"log": {"entries": []}}"#, "The recording 'a.har' has no requests."),
        ])
    func damaged(text: String, message: String) {
        let error = #expect(throws: RecordingError.self) {
            try HTTPRecording(Array(text.utf8), file: "a.har")
        }
        #expect(error?.message == message)
    }

    @Test("A recording that can't be written fails at once")
    func unwritable() {
        #expect(throws: FileError.self) {
            try HTTPRecorder(folder.path("no/a.har"), continuing: nil, version: "1", clock: FixedClock())
        }
    }
}
