import Foundation

/// A violation that the architecture check is expected to report, or has reported.
///
/// Fixtures contain it in a comment before the line, `// error: [RULE] SENTENCE`, which continues in comments
/// that are indented as far as its text.
struct PlantedViolation: Hashable, CustomStringConvertible {
    let file: String
    let line: Int
    let text: String

    var description: String { "\(file):\(line): \(text)" }

    /// The violations in the comments of a fixture's files.
    static func expected(in module: CheckedModule) throws -> Set<PlantedViolation> {
        Set(
            try module.sources().flatMap { file in
                let text = try String(contentsOf: module.folder.appending(path: file), encoding: .utf8)
                return expected(in: text, file)
            })
    }

    private static func expected(in text: String, _ file: String) -> [PlantedViolation] {
        var found: [PlantedViolation] = []
        var open: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.drop(while: \.isWhitespace)
            if line.hasPrefix("// error: ") {
                open.append(String(line.dropFirst(10)))
            } else if line.hasPrefix("//        "), let last = open.popLast() {
                open.append("\(last) \(line.dropFirst(10))")
            } else {
                found += open.map { PlantedViolation(file: file, line: index + 1, text: $0) }
                open = []
            }
        }
        return found
    }

    private static func isSummary(_ line: Substring) -> Bool {
        line.wholeMatch(of: /1 target, \d+ rules, \d+ violations? found(; \d+ exceptions? with a reason)?/)
            != nil
    }

    /// The violations in the output, without its last line; a line that is none is included as it is.
    static func reported(_ run: ProgramRun, in module: CheckedModule) -> Set<PlantedViolation> {
        Set(
            run.output.split(separator: "\n").filter { !isSummary($0) }.map { line in
                guard line.hasPrefix(module.folder.path + "/"),
                    let parts = line.dropFirst(module.folder.path.count + 1)
                        .wholeMatch(of: /(.+?):(\d+):\d+: error: (.+)/)
                else { return PlantedViolation(file: "", line: 0, text: String(line)) }
                return PlantedViolation(
                    file: String(parts.1), line: Int(parts.2) ?? 0, text: String(parts.3))
            })
    }
}
