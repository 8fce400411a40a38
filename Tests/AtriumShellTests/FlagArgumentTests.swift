@_spi(Host) import AtriumKit
import Testing

@testable import AtriumShell

@Suite("Yes-or-no arguments among words")
@MainActor
struct FlagArgumentTests {
    private let action = Action(
        "draw", "Draws", Argument<String?>("name"), Argument<String?>("title"),
        Argument("dot", default: false), Argument("all", default: true)
    ) { _, _, _, _ in .updated }

    private func read(_ line: String) throws -> [String: String] {
        let words = try Lexer.commands(in: line).flatMap(\.words)
        let values = try ArgumentReader.read(words, for: action) { _ in nil }
        return Dictionary(
            uniqueKeysWithValues: action.arguments.compactMap { argument in
                values[argument.name].map { (argument.name, $0) }
            })
    }

    @Test(
        "One that stands alone does not take the next word, unless that is yes or no",
        arguments: [
            ("--dot Stove", ["dot": "yes", "name": "Stove"]),
            ("--dot yes Stove", ["dot": "yes", "name": "Stove"]),
            ("--dot no Stove", ["dot": "no", "name": "Stove"]),
            ("--dot=no Stove", ["dot": "no", "name": "Stove"]),
            ("Stove --dot Kitchen", ["dot": "yes", "name": "Stove", "title": "Kitchen"]),
            ("--dot --all Stove", ["dot": "yes", "all": "yes", "name": "Stove"]),
            ("--dot YES", ["dot": "yes", "name": "YES"]),
            ("--dot ''", ["dot": "yes", "name": ""]),
            ("--dot -- --Stove", ["dot": "yes", "name": "--Stove"]),
            ("--dot '--Stove'", ["dot": "yes", "name": "--Stove"]),
            ("--dot 'no'", ["dot": "no"]),
            ("--dot", ["dot": "yes"]),
        ])
    func flags(_ line: String, _ values: [String: String]) throws {
        #expect(try read(line) == values)
    }

    @Test("Another kind of argument takes the next word, whatever it is")
    func others() throws {
        #expect(try read("--name yes --title no") == ["name": "yes", "title": "no"])
        #expect(try read("--name Stove --dot no") == ["name": "Stove", "dot": "no"])
    }

    @Test("A value behind an equals sign that is neither yes nor no is told when the action reads it")
    func otherValue() throws {
        let words = try Lexer.commands(in: "--dot=maybe").flatMap(\.words)
        let values = try ArgumentReader.read(words, for: action) { _ in nil }

        #expect(values["dot"] == "maybe")
    }

    @Test("A word too many behind one is told, and one that is given twice")
    func refused() {
        let tooMany = #expect(throws: ArgumentError.self) { try read("a b no yes c") }
        let twice = #expect(throws: ArgumentError.self) { try read("--dot Stove --dot") }

        #expect(tooMany?.message == "'draw' has no argument for 'c'.")
        #expect(twice?.message == "'--dot' of 'draw' is given twice.")
    }
}
