import Foundation

/// What the architecture check has to say of a line, or has said.
///
/// A fixture says it in a comment before the line, `// error: [RULE] SENTENCE`, which goes on in comments
/// that are indented as far as its text.
struct PlantedViolation: Hashable, CustomStringConvertible {
    let file: String
    let line: Int
    let text: String

    var description: String { "\(file):\(line): \(text)" }

    /// What the comments of a fixture's files ask for.
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

    /// What the check printed of the module, whose every line has to be a violation.
    static func reported(_ run: ProgramRun, in module: CheckedModule) -> Set<PlantedViolation> {
        Set(
            run.output.split(separator: "\n").map { line in
                guard line.hasPrefix(module.folder.path + "/"),
                    let parts = line.dropFirst(module.folder.path.count + 1)
                        .wholeMatch(of: /(.+?):(\d+):\d+: error: (.+)/)
                else { return PlantedViolation(file: "", line: 0, text: String(line)) }
                return PlantedViolation(
                    file: String(parts.1), line: Int(parts.2) ?? 0, text: String(parts.3))
            })
    }
}
