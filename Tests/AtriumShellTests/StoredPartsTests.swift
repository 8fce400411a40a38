import AtriumKit
import Testing

@testable import AtriumText
@testable import AtriumViews

@MainActor
@Suite("Parts of values in memory")
struct StoredPartsTests {
    private class Base: CustomReflectable {
        var first = 1
        var customMirror: Mirror { fatalError("This is code of a module.") }
    }

    private final class Model: Base {
        let _name = "Lamp"
        let password = "hunter2"
        var rows = [Row(id: 1), Row(id: 2)]
        var nothing: Int?
        weak var parent: Base?
        lazy var later = 4
    }

    private struct Row { let id: Int }

    private enum Choice { case none, some(Int, text: String) }

    private func text(_ value: Any, at path: String = "") throws -> String {
        "\(try ReflectedValue(value).part(path[...]).content.json["value"]?.stringValue ?? "parts")"
    }

    @Test("Properties are those in the source, superclasses' first; no mirror of a type is asked for")
    func parts() throws {
        let names = StoredParts.parts(of: Model()).map(\.name)

        #expect(names == ["first", "name", "password", "rows", "nothing", "parent", "later"])
        #expect(try text(Model(), at: ".name") == "Lamp")
        #expect(try text(Model(), at: ".rows[1].id") == "2")
        #expect(try text(Model(), at: ".nothing") == "nil")
    }

    @Test("A secret is hidden in the table, and refused as a path")
    func secrets() throws {
        let json = "\(ReflectedValue(Model()).content.json)"

        #expect(json.contains("hidden") && !json.contains("hunter2"))
        #expect(throws: ShellError.self) { try ReflectedValue(Model()).part(".password") }
    }

    @Test("Cases of enums, optionals in optionals, and lists of any size")
    func kinds() throws {
        #expect(StoredParts.enumCase(of: Choice.none) == "none")
        #expect(StoredParts.parts(of: Choice.some(1, text: "a")).map(\.name) == [".0", "text"])
        #expect(StoredParts.unwrapped(Int??.some(.some(3)) as Any) as? Int == 3)
        #expect(StoredParts.unwrapped(Int??.some(nil) as Any) == nil)
        let many = Array(repeating: Row(id: 1), count: 1_000_000)
        #expect(StoredParts.count(of: many) == 1_000_000)
        #expect(StoredParts.elements(of: many, atMost: 3).count == 3)
        #expect(throws: ShellError.self) { try ReflectedValue([1]).part("[1]") }
    }
}
