internal import AtriumKit
internal import AtriumStorage
internal import AtriumText

/// A transcript: typed lines, each with the expected output below it.
///
/// Docs/transcripts.md describes the format.
struct Transcript {
    /// The path as it was given, for messages.
    let file: String
    /// What it needs, with the options of `atrium test` in a first line such as
    /// `#!/usr/bin/env -S atrium test --env mock`.
    let head: TranscriptHead
    /// True if the file is a Markdown page, whose blocks of language `console` are typed.
    let isMarkdown: Bool
    /// The first line, if it has options.
    let firstLine: [String]
    let steps: [Step]
    /// The lines after the last step.
    let tail: [String]

    /// A typed line, with everything that belongs to it.
    struct Step {
        enum Target: Equatable {
            /// bash, in the scratch folder.
            case shell
            case scene(String)
        }

        /// The number of its line in the file, from 1.
        var number: Int
        let target: Target
        /// The lines above it.
        var prose: [String] = []
        /// The lines above it for an audience, without marks.
        var notes: [String] = []
        /// True if it prepares the page and is not shown; its output is not compared.
        var isSetup = false
        /// Its source lines, with their marks.
        fileprivate(set) var typed: [String] = []
        /// The typed text, without marks.
        fileprivate(set) var input: String
        /// The answers typed where the host asks without echo.
        fileprivate(set) var secrets: [String] = []
        /// The expected output as in the file.
        fileprivate(set) var expected: [String] = []
        /// The number of empty lines below the output, which separate steps for the reader.
        fileprivate(set) var blanks = 0
        /// True if the output is that of a Markdown page, where `…` is any text and nothing is escaped.
        var isMarkdown = false

        init(number: Int, target: Target, input: String, typed: [String] = []) {
            (self.number, self.target, self.input, self.typed) = (number, target, input, typed)
        }
    }

    /// Reads a transcript.
    ///
    /// - Throws: `StorageError` if the file can't be read, ``ShellError`` with code `badTranscript` and the
    ///   number of the line if it is malformed.
    init(reading file: String) throws {
        var bytes = try FileContents.read(file)
        // As editors of other systems save it.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ShellError.badTranscript(file, nil, "is not text in UTF-8", hint: "Save it as UTF-8.")
        }
        try self.init(text, file: file)
    }

    init(_ text: String, file: String) throws(ShellError) {
        var reader = TranscriptReader(file: file)
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // Saved on another system; otherwise a carriage return is output.
        let hasReturns = lines.count > 1 && lines.dropLast().allSatisfy { $0.last == UInt8(ascii: "\r") }
        for line in lines {
            let isEnded = hasReturns && line.last == UInt8(ascii: "\r")
            try reader.add(String(Substring(isEnded ? line.dropLast() : line)))
        }
        reader.endStep()
        guard !reader.steps.isEmpty else {
            throw .badTranscript(
                file, nil, "has no line to type",
                hint: reader.isMarkdown
                    ? "Begin one with '$ ' for bash, in a block that begins with '```console'."
                    : "Begin one with '$ ' for bash, or 'main> ' for a scene.")
        }
        self.file = file
        (head, firstLine, steps, tail) = (reader.head, reader.firstLine, reader.steps, reader.prose)
        isMarkdown = reader.isMarkdown
    }

    /// The text of the file, with new output for each step.
    func text(with outputs: [[String]]) -> String {
        var lines = firstLine
        for (step, output) in zip(steps, outputs) {
            lines += step.prose + step.typed + output + Array(repeating: "", count: step.blanks)
        }
        return (lines + tail).joined(separator: "\n")
    }

    /// The text of the file.
    var text: String { text(with: steps.map(\.expected)) }
}

/// Reads the lines of a transcript, one after the other.
private struct TranscriptReader {
    let file: String
    let isMarkdown: Bool
    var head = TranscriptHead()
    var firstLine: [String] = []
    var steps: [Transcript.Step] = []
    var prose: [String] = []
    private var step: Transcript.Step?
    private var number = 0
    private var page = MarkdownReader()

    init(file: String) {
        self.file = file
        isMarkdown = [".md", ".markdown"].contains(where: file.lowercased().hasSuffix)
    }

    mutating func add(_ line: String) throws(ShellError) {
        number += 1
        if isMarkdown { return try add(markdown: line) }
        if number == 1, line.hasPrefix("#!") {
            let words = line.split(separator: " ").map(String.init)
            head.options = Array(words[(words.firstIndex(of: "test").map { $0 + 1 } ?? words.count)...])
            return firstLine.append(line)
        }
        switch TranscriptMark(line) {
        case .shell(let input): begin(.shell, line, input)
        case .scene(let name, let input): begin(.scene(name), line, input)
        case .continuation(let input) where step?.expected.isEmpty == true && step?.secrets.isEmpty == true:
            step?.typed.append(line)
            step?.input += "\n" + input
        case .secret(let value): try add(secret: value, line)
        case .prose:
            endStep()
            prose.append(line)
        default: try add(output: line)
        }
    }

    private mutating func begin(
        _ target: Transcript.Step.Target, _ line: String, _ input: String, isSetup: Bool = false
    ) {
        endStep()
        var step = Transcript.Step(number: number, target: target, input: input, typed: [line])
        step.prose = prose
        if !isMarkdown {
            step.notes = prose.filter { TranscriptMark($0) == .prose }.map { String($0.dropFirst(2)) }
        } else if !isSetup {
            step.notes = page.takeParagraph()
        }
        step.isSetup = isSetup
        step.isMarkdown = isMarkdown
        self.step = step
        prose = []
    }

    private mutating func add(markdown line: String) throws(ShellError) {
        switch page.read(line) {
        case .console:
            if let (target, input) = MarkdownReader.typed(line) {
                begin(target, line, input)
            } else if line == ">" || line.hasPrefix("> "), step?.target == .shell,
                step?.expected.isEmpty == true
            {
                step?.typed.append(line)
                step?.input += "\n" + line.dropFirst(2)
            } else {
                try add(output: line)
            }
            return
        case .setup(let command):
            begin(.shell, line, command, isSetup: true)
            return endStep()
        case .head(let key, let value):
            if steps.isEmpty { try head.add(key, value, file, line: number) }
        case .prose: break
        case .end: endStep()
        }
        prose.append(line)
    }

    private mutating func add(secret: String, _ line: String) throws(ShellError) {
        guard case .scene? = step?.target, step?.expected.isEmpty == true else {
            throw .badTranscript(
                file, number, "answers nothing: 'secret> ' stands right below a line of a scene",
                hint:
                    "Put it below the line that asks, such as 'main> session sign-in --email EMAIL', or write "
                    + "'\\secret> ' where it is output.")
        }
        step?.typed.append(line)
        step?.secrets.append(secret)
    }

    private mutating func add(output line: String) throws(ShellError) {
        if step != nil {
            step?.expected.append(line)
        } else if line.isEmpty {
            prose.append(line)
        } else if !isMarkdown, steps.isEmpty, let (key, value) = TranscriptHead.parts(line) {
            try head.add(key, value, file, line: number)
            prose.append(line)
        } else {
            throw .badTranscript(
                file, number, "is output of no line",
                hint: "Begin it with '# ' where it is prose, '$ ' for bash, or 'main> ' for a scene.")
        }
    }

    mutating func endStep() {
        guard var ended = step else { return }
        while ended.expected.last == "" {
            ended.expected.removeLast()
            ended.blanks += 1
        }
        steps.append(ended)
        step = nil
    }
}

extension ShellError {
    static func badTranscript(_ file: String, _ line: Int?, _ reason: String, hint: String) -> ShellError {
        let location = line.map { "Line \($0) of '\(file)'" } ?? "'\(file)'"
        return ShellError(
            "badTranscript", "\(location) \(reason)" + (reason.hasSuffix(".") ? "" : "."), hint: hint,
            category: .usage)
    }
}
