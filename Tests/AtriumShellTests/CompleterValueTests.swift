@_spi(Host) import AtriumKit
import AtriumStorage
import AtriumText
import Foundation
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumLineEditor

@Suite("Completion of values")
@MainActor
struct CompleterValueTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    private func texts(_ line: String) -> [String] {
        Completer(interpreter: shop.interpreter).completions(of: line, at: line.utf8.count)
            .candidates.map(\.text)
    }

    @Test("Paths begin in the folder of the front end; folders end in '/', hidden files are asked for")
    func paths() throws {
        let folder = TemporaryFolder()
        folder.write("x".utf8, to: "list.csv")
        folder.write("x".utf8, to: ".hidden")
        folder.write("x".utf8, to: "my list")
        try FileManager.default.createDirectory(
            atPath: folder.path("lists"), withIntermediateDirectories: true)
        shop.scene.folder = folder.path

        #expect(texts("source li") == ["list.csv", "lists/"])
        #expect(texts("source ") == ["list.csv", "lists/", "'my list'", "--file"])
        #expect(texts("source .h") == [".hidden"])
        #expect(texts("source \(folder.path)/lis").first == "\(folder.path)/list.csv")
        #expect(texts("items list > li") == ["list.csv", "lists/"])
        #expect(texts("module add li") == ["list.csv", "lists/"])
        #expect(texts("items list | li") == [])
    }

    @Test("A variable is completed to its values, member by member")
    func references() async throws {
        _ = try await shop.output("let lamp = items")

        #expect(texts("items create $") == ["$_", "$lamp"])
        #expect(texts("items create $lamp.").contains("$lamp.rows["))
        #expect(texts("items create $lamp.ro") == ["$lamp.rows["])
        #expect(texts("items create $lamp.rows[") == ["$lamp.rows[0]"])
        #expect(texts("items create $lamp.rows[0].li") == ["$lamp.rows[0].line"])
        #expect(texts("items create $lamp.rows[9].li") == [])
        #expect(texts("items create $nosuch.ro") == [])
    }

    @Test("A secret may be a variable of the environment, or a file")
    func secrets() {
        setenv("ATRIUM_COMPLETION_TEST", "1", 1)
        defer { unsetenv("ATRIUM_COMPLETION_TEST") }

        #expect(texts("items sign-in ada --password @") == ["@env:", "@file:"])
        #expect(texts("items sign-in ada --password @env:ATRIUM_COMPL") == ["@env:ATRIUM_COMPLETION_TEST"])
        #expect(texts("items sign-in ada --password=@e") == ["--password=@env:"])
    }

    @Test("A link goes on with the ids that its list has shown")
    func ids() {
        shop.scene.note(
            Content { Table([7, 12]) { Column("id") { $0 } } }, shownBy: "items?sort=age")

        #expect(texts("items/") == ["items/", "items/7", "items/12"])
        #expect(texts("open items/1") == ["items/12"])
        #expect(texts("fair/") == [])
    }

    @Test("A value behind '--name=' is completed like one behind '--name '")
    func namedValues() {
        #expect(texts("items list --sort=") == ["--sort=name", "--sort=age"])
        #expect(texts("items list --sort=a") == ["--sort=age"])
    }
}
