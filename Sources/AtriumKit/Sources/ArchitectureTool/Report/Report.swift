import Foundation

/// What the check found, as lines for a person or a program.
struct Report {
    private(set) var lines: [Line] = []

    /// A violation by the path of its file.
    struct Line: Encodable {
        let file: String
        let line: Int
        let column: Int
        let rule: String
        let message: String

        /// As compilers write it, so that editors and terminals jump to the place.
        var text: String { "\(file):\(line):\(column): error: [\(rule)] \(message)" }
    }

    /// Checks a target's code by all rules; each line of the text is told once for each rule and message.
    mutating func check(_ code: CodeBase) {
        var exceptions = code.files.enumerated().map { Exceptions(in: $1, at: $0) }
        let broken = Set(Rules.all.flatMap { $0.violations(in: code) }).filter { violation in
            !exceptions[violation.file].allows(violation)
        }
        let all = broken + exceptions.flatMap(\.violations)
        var told: Set<[String]> = []
        for violation in all.sorted(by: Self.precedes) {
            let key = ["\(violation.file)", "\(violation.line)", violation.rule, violation.message]
            guard told.insert(key).inserted else { continue }
            lines.append(
                Line(
                    file: code.files[violation.file].path, line: violation.line, column: violation.column,
                    rule: violation.rule, message: violation.message))
        }
    }

    private static func precedes(_ one: Violation, _ other: Violation) -> Bool {
        (one.file, one.line, one.column, one.rule, one.message)
            < (other.file, other.line, other.column, other.rule, other.message)
    }

    /// The lines, as JSON objects for a program.
    func text(asJSON: Bool) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try lines.map { line in
            asJSON ? String(decoding: try encoder.encode(line), as: UTF8.self) + "\n" : line.text + "\n"
        }.joined()
    }
}
