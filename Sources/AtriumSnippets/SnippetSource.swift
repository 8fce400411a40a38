/// The Swift file around a piece of code that was typed at a prompt.
struct SnippetSource {
    /// A definition for the lines after the code.
    struct Definition: Hashable {
        /// The module that holds it.
        let module: String
        /// Nil for an extension, which nothing replaces.
        let name: String?
        let kind: Kind

        enum Kind: Hashable { case declaration, constant, variable }
    }

    struct Import: Equatable {
        let module: String
        let line: String
    }

    /// The compiled module.
    let module: String
    let text: String
    /// Its definition; nil for an expression, a statement or an import.
    let definition: Definition?
    /// The import of a module, for all later code; nil for other code.
    let imported: Import?
    /// The line of the file with the first line of the code.
    private let firstLine: Int
    /// The end of the code in the file, in UTF-8 bytes.
    let end: Int

    /// Writes the file: `imports` are lines, `aliases` name types that have another name in code, and `known`
    /// are the definitions of earlier lines, all of which code that is unfinished may still name.
    ///
    /// - Throws: ``SnippetError`` for a `let` or `var` that names no value, and an `import` with more code.
    init(
        _ code: String, module: String, imports: [String], aliases: [(name: String, type: String)],
        known: [Definition], isUnfinished: Bool = false
    ) throws(SnippetError) {
        let words = Words(code)
        let form = try Form(code, words)
        self.module = module
        imported =
            if case .imported(let name) = form.kind { Import(module: name, line: form.code) } else { nil }
        definition = form.defined.map { Definition(module: module, name: $0.name, kind: $0.kind) }
        var before = imports + known.map { "@testable import \($0.module)" }
        before += ["import AtriumKit", "fileprivate var _snippet: Snippet!"]
        for (name, lines) in Self.inScope where isUnfinished || words.all.contains(name[...]) {
            before += lines
        }
        before += aliases.map { "fileprivate typealias \($0.name) = \($0.type)" }
        var inside: [String] = []
        for value in known where value.kind != .declaration {
            guard let name = value.name, isUnfinished || words.all.contains(name[...]),
                form.defined?.name != name || form.usesFormer
            else { continue }
            let kept = "\(value.module)._\(name).value"
            inside.append("\(value.kind == .variable ? "var" : "let") \(name) = \(kept)!")
            if value.kind == .variable { inside.append("defer { \(kept) = \(name) }") }
        }
        let entry = [
            "@c(\(SnippetLibrary.entry)) public nonisolated func _entry(_ _body: UnsafeMutableRawPointer) {",
            "_body.assumingMemoryBound(to: Snippet.Body?.self).pointee = { _given in", "_snippet = _given",
        ]
        let after: [String]
        switch form.kind {
        case .expression:
            before += entry + inside + ["let _value = try await ("]
            after = [")", "return _value", "}}"]
        case .statement:
            before += entry + inside
            after = ["return nil", "}}"]
        case .declaration, .imported:
            after = entry + ["return nil", "}}"]
        case .value(let name, let type):
            let arrow = type.map { " () -> \($0) in" } ?? ""
            before += ["let _\(name) = SnippetValue {\(arrow)"] + inside + ["return try await ("]
            after =
                [")", "}"] + entry + ["try await _\(name).fill()", "return _\(name).value", "}}"]
        }
        firstLine = before.count + 1
        end = before.reduce(form.code.utf8.count) { $0 + $1.utf8.count + 1 }
        text = (before + [form.code] + after).joined(separator: "\n") + "\n"
    }

    /// The line and column of the code, from 1, for a line of the file and a byte in it, from 1; nil outside of
    /// the code.
    func position(inLine line: Int, at byte: Int, of code: String) -> (line: Int, column: Int)? {
        let own = line - firstLine + 1
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard (1...code.count { $0 == "\n" } + 1).contains(own), lines.indices.contains(line - 1) else {
            return nil
        }
        return (own, String(decoding: lines[line - 1].utf8.prefix(byte - 1), as: UTF8.self).count + 1)
    }

    /// The names in scope; code gets those that it has, as each takes time to compile and memory.
    private static let inScope = [
        ("session", ["fileprivate var session: SessionManager { _snippet.session }"]),
        ("clock", ["fileprivate var clock: any WallClock { _snippet.clock }"]),
        ("log", ["fileprivate var log: Logger { _snippet.log }"]),
        ("screen", ["fileprivate func screen() throws -> (any View)? { try _snippet.screen() }"]),
        (
            "viewModel",
            [
                "fileprivate func viewModel() throws -> (any ViewModel)? { try _snippet.viewModel() }",
                "fileprivate func viewModel<T: ViewModel>(_ type: T.Type) throws -> T {",
                "try _snippet.viewModel(type) }",
            ]
        ),
        (
            "resolve",
            [
                "fileprivate func resolve<T>(_ type: T.Type, named name: String? = nil) throws -> T {",
                "try _snippet.resolve(type, named: name) }",
            ]
        ),
        (
            "print",
            [
                "fileprivate func print(",
                "_ items: Any..., separator: String = \" \", terminator: String = \"\\n\") {",
                "_snippet.print(",
                "items.map { String(describing: $0) }.joined(separator: separator) + terminator) }",
            ]
        ),
    ]

    /// The identifiers of a piece of code.
    struct Words {
        /// In order, up to the first other character.
        let first: [Substring]
        let all: Set<Substring>

        init(_ code: String) {
            let isOfName = { (character: Character) in
                character.isLetter || character.isNumber || character == "_" || character == "@"
            }
            all = Set(code.split { !isOfName($0) })
            first = code.prefix { isOfName($0) || $0.isWhitespace }.split(whereSeparator: \.isWhitespace)
        }
    }

    /// The kind of a piece of code, by its first words.
    struct Form {
        enum Kind {
            case expression, statement, declaration
            case imported(String)
            case value(name: String, type: String?)
        }

        let kind: Kind
        /// The code as it stands in the file, each character in its column.
        var code: String
        var defined: (name: String?, kind: Definition.Kind)?
        /// True if a value is made of the former one of its name.
        var usesFormer = false

        private static let statements: Set<Substring> = [
            "for", "while", "repeat", "do", "guard", "defer", "switch", "if", "throw",
        ]
        private static let declarations: Set<Substring> = [
            "func", "struct", "class", "enum", "actor", "protocol", "typealias", "extension",
        ]
        private static let values: Set<Substring> = ["let", "var"]
        private static let modifiers: Set<Substring> = [
            "public", "package", "internal", "private", "fileprivate", "final", "indirect", "nonisolated",
            "@MainActor", "@discardableResult", "@Observable",
        ]

        init(_ code: String, _ words: Words) throws(SnippetError) {
            self.code = code
            let words = words.first.drop(while: Self.modifiers.contains)
            let first = words.first ?? ""
            if first == "import" {
                let lines = code.split { $0.isNewline || $0 == ";" }
                // Later code gets the line.
                guard lines.count == 1 else { throw .notAlone }
                self.code = String(lines[0])
                // After the kind of what is imported: `import struct Catalog.Product`.
                let kinds = Self.declarations.union(Self.values)
                let name = words.dropFirst().first { !kinds.contains($0) }
                kind = .imported(name.map(String.init) ?? "")
            } else if Self.declarations.contains(first) {
                kind = .declaration
                let name = words.dropFirst().first.map(String.init)
                defined = (first == "extension" ? nil : name, .declaration)
            } else if Self.values.contains(first) {
                guard let name = words.dropFirst().first, let equals = code.firstIndex(of: "=") else {
                    throw .noValue(String(first))
                }
                let head = code[..<equals]
                let type = head.firstIndex(of: ":").map { String(head[head.index(after: $0)...]) }
                kind = .value(name: String(name), type: type)
                let rest = code[code.index(after: equals)...]
                // Without a value, the file would say `()`.
                guard rest.contains(where: { !$0.isWhitespace }) else { throw .noValue(String(first)) }
                self.code = String(repeating: " ", count: code.count - rest.count) + rest
                defined = (String(name), first == "var" ? .variable : .constant)
                usesFormer = Words(String(rest)).all.contains(name)
            } else {
                kind = Self.statements.contains(first) ? .statement : .expression
            }
        }
    }
}
