@_spi(Host) import AtriumKit
import AtriumStorage
import Glibc
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage

@Suite("Reading arguments from words")
struct ArgumentReaderTests {
    private let action = Action(
        "sign-in", "Signs in", Argument<String>("email"), Argument<String>("password", isSecret: true),
        Argument<Bool>("remember", default: false)
    ) { _, _, _ in .updated }

    private let environment = ["PASSWORD": "from the environment", "EMPTY": ""]

    private func read(_ line: String, for action: Action? = nil) throws -> [String?] {
        let action = action ?? self.action
        let words = try Lexer.commands(in: line).flatMap(\.words)
        let values = try ArgumentReader.read(words, for: action)
        return action.arguments.map { values[$0.name] }
    }

    /// The values for `sign-in`, with what they refer to.
    @MainActor
    private func resolved(_ line: String) async throws -> [String?] {
        var values = try ArgumentReader.read(Lexer.commands(in: line).flatMap(\.words), for: action)
        try await ArgumentReader.resolve(
            &values, of: action, path: { $0 },
            file: { try FileContents.read($0, limit: ArgumentReader.longestSecret) },
            environment: { environment[$0] })
        return action.arguments.map { values[$0.name] }
    }

    private func refusal(_ line: String, for action: Action? = nil) -> ArgumentError? {
        #expect(throws: ArgumentError.self) { try read(line, for: action) }
    }

    @Test(
        "Values are given by name, after an equals sign, or in the order of declaration",
        arguments: [
            ("--email ada --password pw", ["ada", "pw", nil]),
            ("--password=p=w --email=", ["", "p=w", nil]),
            ("ada pw yes", ["ada", "pw", "yes"]),
            ("--password pw ada", ["ada", "pw", nil]),
            ("ada --remember no pw", ["ada", "pw", "no"]),
            ("--email ada pw", ["ada", "pw", nil]),
            ("", [nil, nil, nil]),
        ])
    func forms(_ line: String, _ values: [String?]) throws {
        #expect(try read(line) == values)
    }

    @Test("Only the host's 'assert' reads options as values")
    func assertion() throws {
        let own = Action("assert", "Sets a level", Argument<Int>("level")) { _ in .updated }
        #expect(try read("--level 3", for: own) == ["3"])

        let words = try Lexer.commands(in: "--1 == --").flatMap(\.words)
        let host = Action("assert", "Compares", Argument<[String]>("words")) { _ in .updated }
        let values = try ArgumentReader.read(words, for: host, takesOptions: false)
        #expect(values["words"] == "--1\0==")
    }

    @Test("A boolean argument needs no value before another name or at the end")
    func flags() throws {
        #expect(try read("--remember --email ada") == ["ada", nil, "yes"])
        #expect(try read("ada pw --remember") == ["ada", "pw", "yes"])
    }

    @Test("A value that starts with dashes is quoted, or follows an equals sign or two dashes")
    func dashes() throws {
        #expect(try read("--email '--ada' --password=--pw") == ["--ada", "--pw", nil])
        #expect(try read("-- --ada -- ") == ["--ada", "--", nil])
        #expect(try read("-ada -1") == ["-ada", "-1", nil])
        #expect(try read("'--ada' \"--\"") == ["--ada", "--", nil])
        #expect(try read("--email='a b' pw") == ["a b", "pw", nil])
        #expect(try read("'--' pw") == ["--", "pw", nil])
    }

    @Test("An unknown name is an error with the nearest name, or with all names and without the unknown one")
    func unknown() {
        let near = refusal("--emial ada")
        let far = refusal("--frobnicate ada")
        let none = refusal("--x", for: Action("rest", "Rests") { .updated })

        #expect(near?.code == .unknownArgument)
        #expect(near?.message == "'sign-in' has no argument '--emial'.")
        #expect(near?.hint == "Did you mean --email?")
        #expect(far?.message == "'sign-in' has no argument '--…'.")
        #expect(far?.hint == "It takes --email, --password, --remember.")
        #expect(none?.message == "'rest' has no argument '--x'.")
        #expect(none?.hint == "It takes no arguments.")
    }

    @Test("An argument given twice is an error, in any form")
    func twice() {
        #expect(refusal("--email a --email b")?.message == "'--email' of 'sign-in' is given twice.")
        #expect(refusal("a --email=b")?.message == "'--email' of 'sign-in' is given twice.")
    }

    @Test("A name without a value is an error")
    func missingValue() {
        let last = refusal("--email")
        let next = refusal("--email --remember")

        #expect(last?.code == .missingArgument)
        #expect(last?.message == "'--email' of 'sign-in' has no value after it.")
        #expect(last?.hint == "Add a text; one that starts with dashes as --email=VALUE.")
        #expect(next?.message == last?.message)
    }

    @Test("An extra value is an error, which hides the value")
    func tooMany() {
        let open = refusal("a b", for: Action("find", "Finds", Argument<String>("what")) { _ in .updated })
        let secret = refusal("ada my pass word")

        #expect(open?.code == .unknownArgument)
        #expect(open?.message == "'find' takes fewer values than were typed.")
        #expect(open?.hint == "help find")
        #expect(secret?.message == "'sign-in' takes fewer values than were typed.")
    }

    @Test("A secret can be read from an environment variable")
    func environmentReference() async throws {
        #expect(try await resolved("ada @env:PASSWORD") == ["ada", "from the environment", nil])
        #expect(try await resolved("ada @env:EMPTY") == ["ada", "", nil])
        let error = await #expect(throws: ArgumentError.self) {
            try await resolved("--password @env:MISSING")
        }

        #expect(error?.code == .invalidArgument)
        #expect(error?.message == "The environment has no variable 'MISSING' for '--password'.")
        #expect(error?.hint == "Set it before the host is started, or use @file:PATH.")
    }

    @Test(
        "A secret can be read from a file, without its last line ending",
        arguments: ["pw", "pw\n", "pw\r\n", "pw\n\n"])
    func fileReference(_ text: String) async throws {
        let folder = TemporaryFolder()
        let path = folder.write(text.utf8, to: "secret")

        #expect(try await resolved("ada @file:\(path)") == ["ada", text == "pw\n\n" ? "pw\n" : "pw", nil])
    }

    @Test("A file that is missing or not text is an error")
    func badFile() async {
        let folder = TemporaryFolder()
        let path = folder.write([0xFF], to: "secret")

        let binary = await #expect(throws: ArgumentError.self) { try await resolved("ada @file:\(path)") }
        #expect(binary?.message == "The file '\(path)' for '--password' is not text in UTF-8.")
        let missing = await #expect(throws: StorageError.self) {
            try await resolved("ada @file:\(folder.path)/missing")
        }
        #expect(
            missing?.message == "The file '\(folder.path)/missing' can't be read: No such file or directory.")
    }

    @Test("References are resolved for secrets only")
    func onlySecrets() async throws {
        #expect(
            try await resolved("@env:PASSWORD @env:PASSWORD") == [
                "@env:PASSWORD", "from the environment", nil,
            ])
    }
}
