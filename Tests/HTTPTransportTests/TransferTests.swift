import AtriumKit
import Foundation
import RawServer
import Synchronization
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("Uploads and downloads", .serialized)
struct TransferTests {
    private let transport = CurlTransport()

    private final class Seen: Sendable {
        let progress = Mutex<[TransferProgress]>([])
        var all: [TransferProgress] { progress.withLock { $0 } }
    }

    @Test("A downloaded file is complete and readable by its owner only; progress is reported")
    func download() async throws {
        let body = String(repeating: "0123456789abcdef", count: 100_000)
        let server = RawServer { _ in .body(body) }
        let folder = TemporaryFolder()
        let seen = Seen()

        let answer = try await transport.download(
            HTTPRequest(.get, server.url + "/export", answerLimit: 10), to: folder.path("export")
        ) { progress in seen.progress.withLock { $0.append(progress) } }

        #expect(answer.status == 200 && answer.body.isEmpty)
        #expect(contents(folder.path("export")) == Array(body.utf8))
        #expect(folder.names() == ["export"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("export"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(seen.all.last == TransferProgress(received: 1_600_000, expected: 1_600_000))
        #expect(seen.all.map(\.received) == seen.all.map(\.received).sorted())
    }

    @Test("A download of unknown length reports no expected size")
    func chunked() async throws {
        let server = RawServer { _ in
            RawServer.Answer(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        }
        let folder = TemporaryFolder()
        let seen = Seen()

        _ = try await transport.download(HTTPRequest(.get, server.url + "/"), to: folder.path("a")) {
            progress in
            seen.progress.withLock { $0.append(progress) }
        }

        #expect(contents(folder.path("a")) == Array("abcde".utf8))
        #expect(seen.all.last == TransferProgress(received: 5, expected: nil))
    }

    @Test("A body in memory may be compressed, a file is not")
    func compression() async throws {
        let server = RawServer { _ in .body("ok") }
        let folder = TemporaryFolder()

        _ = try await transport.send(HTTPRequest(.get, server.url + "/"))
        _ = try await transport.download(HTTPRequest(.get, server.url + "/"), to: folder.path("a")) { _ in }

        let encodings = server.requests.map { request in
            request.head.split(separator: "\r\n").first { $0.hasPrefix("Accept-Encoding:") }
        }
        #expect(encodings.first??.contains("gzip") == true)
        #expect(encodings.last == "Accept-Encoding: identity")
    }

    @Test("An interrupted download leaves the existing file unchanged and no partial file")
    func cutOff() async throws {
        let server = RawServer { _ in
            RawServer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", closes: true)
        }
        let folder = TemporaryFolder()
        folder.write(Array("before".utf8), to: "export")

        _ = try await transportError(.connectionLost) {
            _ = try await transport.download(
                HTTPRequest(.get, server.url + "/"), to: folder.path("export")
            ) { _ in }
        }

        #expect(contents(folder.path("export")) == Array("before".utf8))
        #expect(folder.names() == ["export"])
    }

    @Test("A download that times out or is cancelled leaves no file")
    func givenUp() async throws {
        let server = RawServer { _ in RawServer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf") }
        let transport = transport
        let folder = TemporaryFolder()
        let path = folder.path("export")

        _ = try await transportError(.timedOut) {
            let request = HTTPRequest(.get, server.url + "/", timeLimit: .milliseconds(200))
            _ = try await transport.download(request, to: path) { _ in }
        }
        let task = Task {
            try await transport.download(HTTPRequest(.get, server.url + "/"), to: path) { _ in
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await eventually("the second request has arrived") { server.requests.count == 2 }
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        await eventually("the partial file is removed") { folder.names().isEmpty }
    }

    @Test("The body of an error response is returned and not written to the file")
    func refused() async throws {
        let server = RawServer { _ in .body("no", status: "403 Forbidden") }
        let folder = TemporaryFolder()

        let answer = try await transport.download(
            HTTPRequest(.get, server.url + "/"), to: folder.path("export")
        ) { _ in }

        #expect(answer.status == 403 && answer.text == "no")
        #expect(folder.names() == [])
    }

    @Test("The error for an unwritable file contains the reason")
    func unwritable() async throws {
        let server = RawServer { _ in .body("ok") }

        let error = try await transportError("fileUnwritable") {
            _ = try await transport.download(
                HTTPRequest(.get, server.url + "/"), to: "/nowhere/export"
            ) { _ in }
        }

        #expect(error.message == "'/nowhere/export' can't be written: No such file or directory.")
    }

    @Test("A file of 40 MB is uploaded unchanged")
    func upload() async throws {
        let server = RawServer { _ in .body("ok") }
        let folder = TemporaryFolder()
        let bytes = (0..<40_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        folder.write(bytes, to: "import")

        let answer = try await transport.send(
            HTTPRequest(
                .post, server.url + "/import", fields: ["Content-Type": "application/x-ndjson"],
                body: .file(folder.path("import")), timeLimit: .seconds(60)))

        #expect(answer.text == "ok")
        let request = try #require(server.requests.first)
        #expect(request.head.contains("Content-Length: 40000000\r\n"))
        #expect(request.body == bytes)
    }

    @Test("An empty file is uploaded; a missing file is an error before anything is sent")
    func smallUploads() async throws {
        let server = RawServer { _ in .body("ok") }
        let folder = TemporaryFolder()
        folder.write([], to: "empty")

        let answer = try await transport.send(
            HTTPRequest(.post, server.url + "/", body: .file(folder.path("empty"))))
        let error = try await transportError("fileUnreadable") {
            _ = try await transport.send(
                HTTPRequest(.post, server.url + "/", body: .file(folder.path("none"))))
        }

        #expect(answer.text == "ok")
        #expect(error.message == "'\(folder.path("none"))' can't be sent: No such file or directory.")
        #expect(error.neverSent)
        #expect(server.requests.count == 1)
    }
}
