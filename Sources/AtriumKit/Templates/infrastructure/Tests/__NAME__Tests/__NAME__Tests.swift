import AtriumKit
import AtriumTesting
import FoundationEssentials
import Testing

@testable import __NAME__

@Suite("The transport of __NAME__")
final class __NAME__Tests {
    private let scratch: ScratchFolder
    private let transport: FileTransport

    /// Creates a folder with an answer to `GET v1/lamps/1`.
    init() throws {
        scratch = try ScratchFolder()
        let folder = scratch.path("answers")
        try FileManager.default.createDirectory(
            atPath: "\(folder)/GET/v1/lamps", withIntermediateDirectories: true)
        try AtomicFile.write(Array("{}".utf8), to: "\(folder)/GET/v1/lamps/1.json")
        transport = FileTransport(folder: folder)
    }

    @Test("Keeps what every module has to")
    func conforms() async throws { try await ModuleConformance.run(__NAME__Module.self) }

    @Test("A request is answered from its file, whatever its server and query")
    func answers() async throws {
        let response = try await transport.send(
            HTTPRequest(.get, "https://example.com:8443/v1/lamps/1?fields=all"))

        #expect(response.status == 200 && response.fields["Content-Type"] == "application/json")
        #expect(response.body == Array("{}".utf8))
    }

    @Test(
        "Without a file for the method and the path, the answer is 404",
        arguments: [(HTTPMethod.get, "v1/lamps/2"), (.get, "v1/lamps"), (.get, ""), (.delete, "v1/lamps/1")])
    func missing(_ method: HTTPMethod, _ path: String) async throws {
        let response = try await transport.send(HTTPRequest(method, "http://example.com/\(path)"))

        #expect(response.status == 404)
    }

    @Test(
        "A URL without a server, or one that leads out of the folder, is refused",
        arguments: ["http://example.com/v1/../../secret", "example.com/v1/lamps/1", "http://"])
    func refused(_ url: String) async {
        await #expect(throws: TransportError.self) { try await transport.send(HTTPRequest(.get, url)) }
    }

    @Test("An answer with more bytes than the request allows is refused")
    func tooLarge() async {
        let request = HTTPRequest(.get, "http://example.com/v1/lamps/1", answerLimit: 1)

        await #expect(throws: TransportError.self) { try await transport.send(request) }
    }

    @Test("A download puts the answer into a file")
    func download() async throws {
        let file = scratch.path("lamp.json")

        let response = try await transport.download(
            HTTPRequest(.get, "http://example.com/v1/lamps/1"), to: file
        ) { _ in }

        #expect(response.status == 200 && response.body.isEmpty)
        #expect(FileManager.default.contents(atPath: file) == Data("{}".utf8))
    }

    @Test("The module registers what its manifest says") @MainActor
    func registers() throws {
        _ = try TestContainer(__NAME__Module.self)
    }
}
