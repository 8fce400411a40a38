@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage

@Suite("Boolean arguments")
@MainActor
struct FlagArgumentTests {
    private let action = Action(
        "draw", "Draws", Argument<String?>("name"), Argument<String?>("title"),
        Argument("dot", default: false), Argument("all", default: true)
    ) { _, _, _, _ in .updated }

    private func read(_ line: String) throws -> [String: String] {
        let words = try Lexer.commands(in: line).flatMap(\.words)
        let values = try ArgumentReader.read(words, for: action)
        return Dictionary(
            uniqueKeysWithValues: action.arguments.compactMap { argument in
                values[argument.name].map { (argument.name, $0) }
            })
    }

    @Test(
        "A boolean argument takes the next word only if that is yes or no",
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

    @Test("An argument of another type takes the next word, whatever it is")
    func others() throws {
        #expect(try read("--name yes --title no") == ["name": "yes", "title": "no"])
        #expect(try read("--name Stove --dot no") == ["name": "Stove", "dot": "no"])
    }

    @Test("A value after an equals sign that is neither yes nor no is passed on to the action")
    func otherValue() throws {
        let words = try Lexer.commands(in: "--dot=maybe").flatMap(\.words)
        let values = try ArgumentReader.read(words, for: action)

        #expect(values["dot"] == "maybe")
    }

    @Test("An extra word is an error, and so is a repeated boolean argument")
    func refused() {
        let tooMany = #expect(throws: ArgumentError.self) { try read("a b no yes c") }
        let twice = #expect(throws: ArgumentError.self) { try read("--dot Stove --dot") }

        #expect(tooMany?.message == "'draw' takes fewer values than were typed.")
        #expect(twice?.message == "'--dot' of 'draw' is given twice.")
    }
}
