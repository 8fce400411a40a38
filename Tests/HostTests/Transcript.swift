import Foundation

/// A story told as commands and the output expected of them.
///
/// A line that starts with `$ ` is run by bash, in a folder of the story's own; lines that start with `> `
/// continue it. The lines below are what it prints, on standard output and standard error together; `[N]`
/// is an exit code other than 0. `<*>` in an expected line stands for anything. Other lines are prose.
///
/// Moments are shown as `YYYY-MM-DD hh:mm UTC`. The folder is `$HOME`; `atrium` is the built host with its data in `$DATA`, `$ROOT` the project.
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
    /// - Returns: The transcript as it should read: what was expected where that fits, else what was printed.
    func play() throws -> String {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        var lines: [String] = []
        for step in steps {
            lines += step.prose + step.command
            guard !step.command.isEmpty else { continue }
            let printed = try run(step.command, in: folder)
            // Blank lines at the end separate steps for the reader; they are not output.
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
                "NO_COLOR": "", "XDG_STATE_HOME": "", "LC_ALL": "C.UTF-8",
            ])
        var printed = run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if printed.last == "" { printed.removeLast() }
        printed = printed.map {
            $0.replacingOccurrences(of: Project.release.resolvingSymlinksInPath().path, with: "$BUILD")
                .replacingOccurrences(of: Project.release.path, with: "$BUILD")
                .replacingOccurrences(of: Project.root.path, with: "$ROOT")
                .replacingOccurrences(of: folder.path, with: "$HOME")
                .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d UTC/#, with: "YYYY-MM-DD hh:mm UTC")
                .replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/#, with: "YYYY-MM-DDThh:mm:ssZ")
        }
        return run.status == 0 ? printed : printed + ["[\(run.status)]"]
    }

    private static func matches(_ printed: [String], _ expected: [String]) -> Bool {
        printed.count == expected.count && zip(printed, expected).allSatisfy(fits)
    }

    private static func keepingWildcards(_ printed: [String], _ expected: [String]) -> [String] {
        printed.map { line in expected.first { $0.contains("<*>") && fits(line, $0) } ?? line }
    }

    private static func fits(_ printed: String, _ expected: String) -> Bool {
        guard expected.contains("<*>") else { return printed == expected }
        var rest = printed[...]
        let parts = expected.components(separatedBy: "<*>")
        guard rest.hasPrefix(parts[0]) else { return false }
        rest = rest.dropFirst(parts[0].count)
        for part in parts.dropFirst().dropLast() {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(parts[parts.count - 1])
    }
}
