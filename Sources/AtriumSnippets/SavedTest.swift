internal import AtriumKit

/// The code that was tried at a prompt, as a test to paste into a module's package.
package struct SavedTest {
    /// A piece of code that ran without error.
    package struct Line {
        let code: String
        /// The link of the current screen, for code that uses it.
        let link: String?
        /// The value as a Swift literal, where it has one.
        let literal: String?

        package init(_ code: String, on link: String?, value: Any?) {
            let words = SnippetSource.Words(code).all
            self.code = code
            self.link = words.contains("viewModel") || words.contains("screen") ? link : nil
            literal = Self.literal(of: value)
        }

        private static func literal(of value: Any?) -> String? {
            switch value {
            case let value as Bool: "\(value)"
            case let value as Int: "\(value)"
            case let value as Double where value.isFinite: "\(value)"
            case let value as String: value.debugDescription
            case let value as [Int]: "\(value)"
            case let value as [String]: "\(value)"
            default: nil
            }
        }
    }

    /// The text of the file.
    package let text: String

    /// Writes the file; `entries` are the classes of the modules in the test's host, `imported` their names.
    ///
    /// - Throws: ``SnippetError`` for code that does not parse; it never ran.
    package init(
        _ name: String, _ lines: [Line], modules entries: [String], importing imported: [String],
        environment: String
    ) throws {
        var parts = Parts()
        for line in try Self.current(lines) { try parts.add(line) }
        let testable = Set(imported)
        let imports = parts.imports.filter { !testable.contains($0.module) }.map(\.line)
        let given =
            entries.map { "\($0).self" } + (environment == "mock" ? [] : ["environment: .\(environment)"])
        let head =
            ["import AtriumKit", "import AtriumTesting"] + imports + ["import Testing", ""]
            + testable.sorted().map { "@testable import \($0)" } + (testable.isEmpty ? [] : [""])
        let suite = [
            "@MainActor", "struct \(Self.typeName(of: name)) {", "    let host: TestHost", "",
            "    init() async throws {",
            "        host = try await TestHost(\(given.joined(separator: ", ")))", "    }", "",
        ]
        let test = ["    @Test(\(name.debugDescription))", "    func tried() async throws {"] + parts.body
        let file =
            head + parts.extensions + suite + parts.members + test + ["    }", ""] + Self.scope + ["}"]
        text = file.joined(separator: "\n") + "\n"
    }

    /// The lines without those that use a function or a type which was defined again later.
    private static func current(_ lines: [Line]) throws -> [Line] {
        var last: [Substring: Int] = [:]
        for (index, line) in lines.enumerated() {
            let form = try SnippetSource.Form(line.code, SnippetSource.Words(line.code))
            if case .declaration = form.kind, let name = form.defined?.name { last[name[...]] = index }
        }
        return lines.enumerated().filter { index, line in
            SnippetSource.Words(line.code).all.allSatisfy { last[$0].map { $0 <= index } ?? true }
        }.map(\.element)
    }

    /// The name of the suite: `lamp prices` is `LampPricesTests`.
    private static func typeName(of name: String) -> String {
        let words = name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let text = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Tests"
        return text.first?.isNumber == true ? "Saved" + text : text
    }

    /// The names in scope at the prompt.
    private static let scope = """
            // The names in scope of 'swift'.
            var session: SessionManager { host.snippet.session }
            var clock: any WallClock { host.snippet.clock }
            var log: Logger { host.snippet.log }
            func screen() throws -> (any View)? { try host.snippet.screen() }
            func viewModel() throws -> (any ViewModel)? { try host.snippet.viewModel() }
            func viewModel<Model: ViewModel>(_ type: Model.Type) throws -> Model {
                try host.snippet.viewModel(type)
            }
            func resolve<Value>(_ type: Value.Type, named name: String? = nil) throws -> Value {
                try host.snippet.resolve(type, named: name)
            }
        """.split(separator: "\n").map(String.init)

    /// The parts of the file, filled line by line.
    private struct Parts {
        private(set) var imports: [SnippetSource.Import] = []
        private(set) var extensions: [String] = []
        private var declared: [String] = []
        private var statements: [String] = []
        private var link: String?
        private var values = 0
        /// The names of values, by the blocks that are open.
        private var names: [Set<String>] = [[]]

        var members: [String] { declared.flatMap { [Self.indented($0, 1), ""] } }

        /// The lines of the test; its blocks end after the last line.
        var body: [String] {
            statements + names.indices.dropFirst().reversed().map { Self.indented("}", $0 + 1) }
        }

        mutating func add(_ line: Line) throws {
            if let link = line.link, link != self.link {
                self.link = link
                append("try await host.run(\("open \(link)".debugDescription))")
            }
            let words = SnippetSource.Words(line.code)
            let form = try SnippetSource.Form(line.code, words)
            switch form.kind {
            case .imported(let module):
                let new = SnippetSource.Import(module: module, line: form.code)
                if !imports.contains(new) { imports.append(new) }
            case .declaration:
                guard form.defined?.name != nil else { return extensions += [line.code, ""] }
                declared.append(line.code)
            case .value(let name, let type):
                if names.contains(where: { $0.contains(name) }) {
                    append("do {")
                    names.append([])
                }
                names[names.count - 1].insert(name)
                let word = form.defined?.kind == .variable ? "var" : "let"
                let value = form.code.drop(while: \.isWhitespace)
                append("\(word) \(name)\(type.map { ": \($0.trimmed)" } ?? "") = try await (\(value))")
            case .statement: append(line.code)
            case .expression:
                guard let literal = line.literal else { return append("_ = try await (\(line.code))") }
                values += 1
                append("let value\(values) = try await (\(line.code))")
                append("#expect(value\(values) == \(literal))")
            }
        }

        private mutating func append(_ code: String) {
            statements.append(Self.indented(code, names.count + 1))
        }

        /// Code with its first line indented; the others may be parts of texts.
        private static func indented(_ code: String, _ depth: Int) -> String {
            String(repeating: "    ", count: depth) + code
        }
    }
}
