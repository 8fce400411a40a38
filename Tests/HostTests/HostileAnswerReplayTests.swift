import Foundation
import RawServer
import Testing

/// The built host against a server that answers with anything.
@Suite("Odd and hostile responses, on the built host")
struct HostileAnswerReplayTests {
    /// What a reply may say about a response that is none, or not the right one.
    private static let codes: Set = ["fetchFailed", "serviceUnavailable", "notAuthenticated"]

    private static func entity(_ id: Substring, name: String = "Chair") -> RawServer.Answer {
        .body(
            #"{"id":\#(id),"name":"\#(name)","category":"seats","notes":"","createdAt":"2026-01-01T09:00:00Z","#
                + #""updatedAt":"2026-01-01T09:00:00Z"}"#, fields: "Content-Type: application/json\r\n")
    }

    /// Answers `method` of the entities 1 to `odd.count` oddly, and everything else as a server should.
    private static func server(odd: [AnswerCorpus.Answer], to method: String) -> RawServer {
        RawServer { request in
            let parts = request.line.split(separator: " ")
            let path = parts[1].split(separator: "?")[0]
            let id = path.split(separator: "/").last ?? ""
            switch path {
            case "/oauth/token":
                return .body(
                    #"{"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r"}"#,
                    fields: "Content-Type: application/json\r\n")
            case "/v1/users/me":
                return .body(
                    #"{"id":"u1","email":"ada@example.com","displayName":"Ada","status":"active","#
                        + #""createdAt":"2026-01-01T09:00:00Z"}"#,
                    fields: "Content-Type: application/json\r\n")
            default:
                guard parts[0] == method, let number = Int(id), (1...odd.count).contains(number) else {
                    return entity(id)
                }
                return RawServer.Answer(bytes: odd[number - 1].bytes, closes: true)
            }
        }
    }

    @Test("After each the host lives, says what happened, and the next request is right")
    func reads() throws {
        let odd = AnswerCorpus.all
        let server = Self.server(odd: odd, to: "GET")
        let site = try HostSite([("HTTPTransport", nil)])

        let run = try site.run(
            odd.indices.flatMap { ["entities/\($0 + 1)", "entities/\($0 + 1_001)"] },
            options: ["--env", "live", "--api", server.url])

        #expect(odd.count >= 60 && run.replies.count == 2 * odd.count && run.status == 1, "\(run.errors)")
        for (index, answer) in odd.enumerated() where 2 * index + 1 < run.replies.count {
            let (reply, next) = (run.replies[2 * index], run.replies[2 * index + 1])
            // None of them is an entity.
            #expect(!reply.isOK && Self.codes.contains(reply.code ?? "-"), "\(answer.name): \(reply.text)")
            #expect(
                reply.message.hasSuffix(".") && reply.message.count < 400, "\(answer.name): \(reply.text)")
            #expect(next.isOK && next["name"] == "Chair", "after \(answer.name): \(next.text)")
        }
    }

    @Test("A change that the server has made is never told as undone")
    func changes() throws {
        let odd = AnswerCorpus.all
        let server = Self.server(odd: odd, to: "PATCH")
        let site = try HostSite([("HTTPTransport", nil)])

        let run = try site.run(
            ["session sign-in --email ada@example.com --password @env:LC_ALL"]
                + odd.indices.flatMap { ["entities/\($0 + 1) set name Desk", "entities/\($0 + 1_001)"] },
            options: ["--env", "live", "--api", server.url])

        #expect(run.replies.count == 2 * odd.count + 1 && run.replies.first?.isOK == true, "\(run.errors)")
        for (index, answer) in odd.enumerated() where 2 * index + 2 < run.replies.count {
            let (reply, next) = (run.replies[2 * index + 1], run.replies[2 * index + 2])
            // With these the server itself says that it has not made the change.
            let refuses = ["302", "304", "401", "407"].contains { answer.outcome.hasPrefix($0) }
            #expect(
                refuses ? !reply.isOK : reply.code == "unknownOutcome", "\(answer.name): \(reply.text)")
            #expect(next.isOK && next["name"] == "Chair", "after \(answer.name): \(next.text)")
        }
    }

    @Test("Characters that would change what a terminal shows are shown as codes")
    func text() throws {
        let server = RawServer { _ in Self.entity("1", name: #"a\u202Eb\u001B[2Jc\u2066d\u0085e"#) }
        let site = try HostSite([("HTTPTransport", nil)])

        let run = try ProgramRun.run(
            Project.release.appending(path: "atrium").path,
            [
                "--config", site.folder.appending(path: "modules.json").path, "--data",
                site.folder.appending(path: "data").path, "--env", "live", "--api", server.url, "-c",
                "entities/1",
            ])

        #expect(run.status == 0 && run.output.contains("Name"), "\(run.output)")
        let odd: Set<Unicode.Scalar> = ["\u{202E}", "\u{1B}", "\u{2066}", "\u{85}"]
        #expect(!run.output.unicodeScalars.contains { odd.contains($0) }, "\(run.output)")
    }
}
