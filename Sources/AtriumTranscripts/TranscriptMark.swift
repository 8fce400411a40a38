internal import AtriumCommands

/// The meaning of a transcript line by its beginning; all other lines are output.
enum TranscriptMark: Equatable {
    /// `$ LINE`, for bash.
    case shell(String)
    /// `> LINE`: continues the line above; `>` with an empty line.
    case continuation(String)
    /// `NAME> LINE`, typed in a scene; `NAME>` types nothing.
    case scene(String, String)
    /// `secret> VALUE`: the answer where the host asks without echo.
    case secret(String)
    /// `# TEXT`.
    case prose
    /// `[N]`: the exit code, below the output.
    case status(Int32)

    init?(_ line: String) {
        if line.hasPrefix("$ ") {
            self = .shell(String(line.dropFirst(2)))
        } else if line.hasPrefix("> ") || line == ">" {
            self = .continuation(String(line.dropFirst(2)))
        } else if line.hasPrefix("# ") {
            self = .prose
        } else if line.hasPrefix("["), line.hasSuffix("]"), let status = Int32(line.dropFirst().dropLast()) {
            self = .status(status)
        } else if let end = line.firstIndex(of: ">"), let (name, rest) = Self.split(line, at: end) {
            self = name == "secret" ? .secret(rest) : .scene(name, rest)
        } else {
            return nil
        }
    }

    /// Programs that show a session print `atrium> LINE`, so no scene of a transcript has this name.
    private static let shown = "atrium"

    private static func split(_ line: String, at end: String.Index) -> (name: String, rest: String)? {
        let name = String(line[..<end])
        let rest = line[line.index(after: end)...]
        guard rest.isEmpty || rest.first == " ", name != shown, (try? SceneName(name)) != nil else {
            return nil
        }
        return (name, String(rest.dropFirst()))
    }

    // MARK: - Escapes

    /// Escapes a line of output for a transcript: with a backslash, if it would mean something else.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - isFirst: Whether it is the first line of the output, where `> ` would continue the command.
    ///   - isLast: Whether it is the last line, where `[N]` would be an exit code.
    /// - Returns: The line of the file.
    static func escaped(_ line: String, isFirst: Bool, isLast: Bool) -> String {
        switch TranscriptMark(String(line.drop { $0 == "\\" })) {
        case nil: line
        case .continuation where !isFirst && !line.hasPrefix("\\"): line
        case .status where !isLast && !line.hasPrefix("\\"): line
        default: "\\" + line
        }
    }

    /// The line of output that an escaped line represents.
    static func unescaped(_ line: String) -> String {
        guard line.hasPrefix("\\"), TranscriptMark(String(line.drop { $0 == "\\" })) != nil else {
            return line
        }
        return String(line.dropFirst())
    }
}
