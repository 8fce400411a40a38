import Foundation

/// The exceptions that a source file allows itself, each with its reason.
///
/// As in `// architecture: allow singleton, because the process has one terminal`, one stands behind the code
/// of its line, or in a comment before the line that it is for.
struct Exceptions {
    private struct Exception {
        let rule: String
        let reason: String
        let line: Int
        /// The lines that it is for: its own, and those up to the next one with code.
        let lines: ClosedRange<Int>
        var isUsed = false
    }

    private let file: Int
    private var exceptions: [Exception] = []

    init(in code: CodeFile, at file: Int) {
        self.file = file
        for (index, line) in code.lines.enumerated() {
            guard line.contains("architecture:"),
                let comment = line.firstRange(of: "//").map({ line[$0.upperBound...] }),
                let match = comment.prefixMatch(
                    of: /\s*architecture:\s*allow\s+([\w-]+)(?:,\s*because\s+(.+))?/)
            else { continue }
            exceptions.append(
                Exception(
                    rule: String(match.output.1), reason: match.output.2.map(String.init) ?? "",
                    line: index + 1,
                    lines: (index + 1)...Self.end(of: code.lines, from: index)))
        }
    }

    /// The line, counted from 1, of the code for which the comment at `index` stands.
    private static func end(of lines: [Substring], from index: Int) -> Int {
        let next = lines[index...].firstIndex { line in
            let code = line.drop(while: \.isWhitespace)
            return !code.isEmpty && !code.hasPrefix("//")
        }
        return (next ?? index) + 1
    }

    /// Whether a violation is allowed; notes the exception as needed.
    mutating func allows(_ violation: Violation) -> Bool {
        let match = exceptions.firstIndex { exception in
            exception.rule == violation.rule && exception.lines.contains(violation.line)
                && !exception.reason.isEmpty
        }
        guard let match else { return false }
        exceptions[match].isUsed = true
        return true
    }

    /// What is wrong with the exceptions themselves, once all violations were looked at.
    var violations: [Violation] {
        exceptions.filter { !$0.isUsed }.map { exception in
            Violation(
                rule: "exception", file: file, line: exception.line, column: 1,
                message: Self.problem(exception))
        }
    }

    private static func problem(_ exception: Exception) -> String {
        if !Rules.names.contains(exception.rule) {
            return "there is no rule '\(exception.rule)'; the rules are "
                + Rules.names.sorted().joined(separator: ", ")
        }
        if exception.reason.isEmpty {
            return
                "the exception gives no reason; write '// architecture: allow \(exception.rule), because …'"
        }
        return "nothing here breaks '\(exception.rule)'; remove the exception"
    }
}
