import Foundation

/// A story: commands and their expected output.
///
/// A line that starts with `$ ` is run by bash in the story's own folder; lines that start with `> ` continue
/// it. The lines below are the expected standard output and standard error together; `[N]` is an exit code
/// other than 0. Lines that start with `# ` are prose.
///
/// In an expected line, `<now>` is a time of this run, in either form that the host prints, `<now+30d>` a
/// time 30 days later, and `<*>` any text. All other times are compared. `$HOME` is the folder, `$DATA` the
/// data folder, `$ROOT` the project; `atrium` runs the built host.
struct Transcript {
    private let steps: [Step]

    private struct Step {
        var prose: [String] = []
        var command: [String] = []
        var expected: [String] = []
    }

    init(_ text: String) {
        var steps: [Step] = []
        var step = Step()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("$ ") {
                if !step.command.isEmpty {
                    steps.append(step)
                    step = Step()
                }
                step.command.append(line)
            } else if line.hasPrefix("> "), step.expected.isEmpty, !step.command.isEmpty {
                step.command.append(line)
            } else if line.hasPrefix("# ") || (line.isEmpty && step.command.isEmpty) {
                if !step.command.isEmpty {
                    steps.append(step)
                    step = Step()
                }
                step.prose.append(line)
            } else {
                step.expected.append(line)
            }
        }
        self.steps = steps + [step]
    }

    /// Runs every step.
    ///
    /// - Returns: The updated transcript: the expected lines if they match, otherwise the printed ones.
    func play() throws -> String {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        var lines: [String] = []
        for step in steps {
            lines += step.prose + step.command
            guard !step.command.isEmpty else { continue }
            let printed = try run(step.command, in: folder)
            // Empty lines at the end separate steps for the reader; they are not output.
            let blanks = step.expected.reversed().prefix { $0.isEmpty }.count
            let expected = step.expected.dropLast(blanks)
            lines +=
                Self.matches(printed, Array(expected))
                ? Array(expected) : Self.keepingWildcards(printed, Array(expected))
            lines += Array(repeating: "", count: blanks)
        }
        return lines.joined(separator: "\n")
    }

    private func run(_ command: [String], in folder: URL) throws -> [String] {
        let script = """
            atrium() { "$ATRIUM" --data "$DATA" --config "$ROOT/modules.json" "$@"; }
            \(command.map { String($0.dropFirst(2)) }.joined(separator: "\n"))
            """
        let run = try ProgramRun.run(
            "/bin/bash", ["-c", script], in: folder,
            environment: [
                "HOME": folder.path, "DATA": folder.appending(path: "data").path, "ROOT": Project.root.path,
                "ATRIUM": Project.release.appending(path: "atrium").path, "BUILD": Project.release.path,
                "TESTS": Project.debug.path,
                "NO_COLOR": "", "XDG_STATE_HOME": "", "LC_ALL": "C.UTF-8",
            ])
        let places = [
            (Project.release.resolvingSymlinksInPath().path, "$BUILD"), (Project.release.path, "$BUILD"),
            (Project.debug.path, "$TESTS"), (Project.root.path, "$ROOT"), (folder.path, "$HOME"),
        ]
        let output = places.reduce(run.output) { Self.replacing($1.0, with: $1.1, in: $0) }
        var printed = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if printed.last == "" { printed.removeLast() }
        return run.status == 0 ? printed : printed + ["[\(run.status)]"]
    }

    /// Replaces a path, of which a table may have begun a new line at a space.
    static func replacing(_ path: String, with name: String, in output: String) -> String {
        let words = path.split(separator: " ", omittingEmptySubsequences: false)
        let pattern = words.map { NSRegularExpression.escapedPattern(for: String($0)) }.joined(
            separator: "(?: |\n +)")
        return output.replacingOccurrences(
            of: pattern, with: NSRegularExpression.escapedTemplate(for: name), options: .regularExpression)
    }

    private static func matches(_ printed: [String], _ expected: [String]) -> Bool {
        printed.count == expected.count && zip(printed, expected).allSatisfy { fits($0, $1) }
    }

    private static func keepingWildcards(_ printed: [String], _ expected: [String]) -> [String] {
        printed.map { line in expected.first { fits(line, $0) } ?? line }
    }

    /// Whether a printed line matches the expected one, which may have placeholders.
    static func fits(_ printed: String, _ expected: String, now: Date = .now) -> Bool {
        if printed == expected { return true }
        var pattern = "^"
        var days: [Int] = []
        var rest = Substring(expected)
        while let match = rest.firstMatch(of: /<(?:\*|now(?:\+(\d+)d)?)>/) {
            pattern += NSRegularExpression.escapedPattern(for: String(rest[..<match.range.lowerBound]))
            if match.output.0 == "<*>" {
                pattern += "[\\s\\S]*?"
            } else {
                pattern += moment
                days.append(match.output.1.flatMap { Int($0) } ?? 0)
            }
            rest = rest[match.range.upperBound...]
        }
        pattern += NSRegularExpression.escapedPattern(for: String(rest)) + "$"
        guard let expression = try? NSRegularExpression(pattern: pattern),
            let match = expression.firstMatch(in: printed, range: NSRange(printed.startIndex..., in: printed))
        else { return false }
        return days.enumerated().allSatisfy { number, days in
            guard let range = Range(match.range(at: number + 1), in: printed) else { return false }
            return isMoment(String(printed[range]), now.addingTimeInterval(Double(days) * 86_400))
        }
    }

    /// A time as the host prints it for people and in JSON.
    private static let moment = #"(\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC|T\d\d:\d\d:\d\dZ))"#

    /// Whether a text is the given time, or up to an hour earlier; a story takes less.
    private static func isMoment(_ text: String, _ moment: Date) -> Bool {
        let iso = text.replacing(" UTC", with: ":00Z").replacing(" ", with: "T")
        guard let date = ISO8601DateFormatter().date(from: iso) else { return false }
        return (-60...3_600).contains(moment.timeIntervalSince(date))
    }
}
