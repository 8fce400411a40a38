import FoundationEssentials

/// The violations, as text for a terminal or as JSON for a program.
struct Report {
    private(set) var lines: [Line] = []
    private var targets = 0
    private var exceptions = 0

    struct Line: Encodable {
        let file: String
        let line: Int
        let column: Int
        let rule: String
        let message: String

        var text: String { "\(file):\(line):\(column): error: [\(rule)] \(message)" }
    }

    /// Checks a target's code against all rules; reports each rule and message once a line.
    mutating func check(_ code: CodeBase) {
        var exceptions = code.files.enumerated().map { Exceptions(in: $1, at: $0) }
        let broken = Set(Rule.all.flatMap { $0.violations(in: code) }).filter { violation in
            !exceptions[violation.file].allows(violation)
        }
        targets += 1
        self.exceptions += exceptions.reduce(0) { $0 + $1.usedCount }
        let all = (broken + exceptions.flatMap(\.violations)).sorted {
            ($0.file, $0.line, $0.column, $0.rule, $0.message)
                < ($1.file, $1.line, $1.column, $1.rule, $1.message)
        }
        var reported: Set<[String]> = []
        for violation in all {
            let key = ["\(violation.file)", "\(violation.line)", violation.rule, violation.message]
            guard reported.insert(key).inserted else { continue }
            lines.append(
                Line(
                    file: code.files[violation.file].path, line: violation.line, column: violation.column,
                    rule: violation.rule, message: violation.message))
        }
    }

    /// The violations, the checklist if requested, and the summary, one line each.
    func text(asJSON: Bool, withChecklist: Bool) throws -> String {
        guard asJSON else {
            let checklist = withChecklist ? Checklist.text(of: self) : []
            return (lines.map(\.text) + checklist + [summary]).joined(separator: "\n") + "\n"
        }
        let verdicts: [any Encodable] = withChecklist ? Checklist.items.map { $0.verdict(in: self) } : []
        let counts = Counts(
            exceptions: exceptions, rules: Self.ruleCount, targets: targets, violations: lines.count)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try (lines + verdicts + [counts]).map { object in
            String(decoding: try encoder.encode(object), as: UTF8.self) + "\n"
        }.joined()
    }

    private struct Counts: Encodable {
        let exceptions: Int
        let rules: Int
        let targets: Int
        let violations: Int
    }

    /// The number of targets checked and violations found, as the last line of text output.
    private var summary: String {
        let findings = lines.isEmpty ? "nothing" : "\(Self.count(lines.count, "violation"))"
        let allowed = exceptions == 0 ? "" : "; \(Self.count(exceptions, "exception")) with a reason"
        return "\(Self.count(targets, "target")), \(Self.ruleCount) rules, \(findings) found\(allowed)"
    }

    /// Includes the rule about exceptions.
    private static let ruleCount = Rule.all.count + 1

    private static func count(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }
}

/// The exceptions in a source file, each with its reason.
///
/// `// architecture: allow singleton, because the process has one terminal` applies to the code of its line,
/// or to the next line of code.
struct Exceptions {
    private struct Exception {
        let rule: String
        let reason: String
        let line: Int
        /// The comment's line and those up to the next line with code.
        let lines: ClosedRange<Int>
        var isUsed = false
    }

    private let file: Int
    private var exceptions: [Exception] = []

    init(in code: CodeFile, at file: Int) {
        self.file = file
        guard code.text.contains("architecture: allow") else { return }
        let lines = code.text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let comment = line.firstRange(of: "//").map({ line[$0.upperBound...] }),
                let match = comment.prefixMatch(of: /\s*architecture: allow ([\w-]+)(?:, because (.+))?/)
            else { continue }
            let next = lines[index...].firstIndex { line in
                let code = line.drop(while: \.isWhitespace)
                return !code.isEmpty && !code.hasPrefix("//")
            }
            exceptions.append(
                Exception(
                    rule: String(match.output.1), reason: match.output.2.map(String.init) ?? "",
                    line: index + 1, lines: (index + 1)...((next ?? index) + 1)))
        }
    }

    /// True if a violation is allowed; marks the exception as used.
    mutating func allows(_ violation: Violation) -> Bool {
        let match = exceptions.firstIndex { exception in
            exception.rule == violation.rule && exception.lines.contains(violation.line)
                && !exception.reason.isEmpty
        }
        guard let match else { return false }
        exceptions[match].isUsed = true
        return true
    }

    /// The number of exceptions that were needed.
    var usedCount: Int { exceptions.count { $0.isUsed } }

    /// The exceptions that name no rule, give no reason or were not used.
    var violations: [Violation] {
        exceptions.filter { !$0.isUsed }.map { exception in
            Violation(
                rule: "exception", file: file, line: exception.line, column: 1,
                message: Self.problem(exception))
        }
    }

    private static func problem(_ exception: Exception) -> String {
        let rules = Rule.all.map(\.name)
        if !rules.contains(exception.rule) {
            func distance(_ rule: String) -> Int { rule.difference(from: exception.rule).count }
            let nearest = rules.min { distance($0) < distance($1) } ?? ""
            return "there is no rule '\(exception.rule)'; "
                + (distance(nearest) < 5
                    ? "did you mean '\(nearest)'?"
                    : "the rules are \(rules.sorted().joined(separator: ", "))")
        }
        if exception.reason.isEmpty {
            return
                "the exception gives no reason; write '// architecture: allow \(exception.rule), because …'"
        }
        return "nothing here breaks '\(exception.rule)'; remove the exception"
    }

}
