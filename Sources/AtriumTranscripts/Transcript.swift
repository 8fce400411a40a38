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
    /// The file as it was read.
    let bytes: [UInt8]
    private let form: Form

    /// How an editor has saved the file.
    private struct Form {
        static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        /// True if it begins with a byte order mark, as editors of other systems save it.
        var hasMark = false
        /// True if each line ends with a carriage return too.
        var hasReturns = false
    }

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
        /// The expected output as in the file, without the indentation of a block.
        fileprivate(set) var expected: [String] = []
        /// The lines of the file with it.
        fileprivate var source: [String] = []
        /// The indentation of the block of a Markdown page.
        fileprivate var indentation = 0
        /// The empty lines below the output, which separate steps for the reader.
        fileprivate(set) var below: [String] = []
        /// True if the output is that of a Markdown page, where `…` is any text and nothing is escaped.
        var isMarkdown = false

        init(number: Int, target: Target, input: String, typed: [String] = []) {
            (self.number, self.target, self.input, self.typed) = (number, target, input, typed)
        }

        /// The lines of the file with an output.
        fileprivate func lines(of output: [String]) -> [String] {
            guard output != expected else { return source }
            let indentation = String(repeating: " ", count: indentation)
            return output.map { $0.isEmpty ? $0 : indentation + $0 }
        }
    }

    /// Reads a transcript.
    ///
    /// - Throws: `StorageError` if the file can't be read, ``ShellError`` with code `badTranscript` and the
    ///   number of the line if it is malformed.
    init(reading file: String) throws {
        var bytes = try FileContents.read(file)
        let hasMark = bytes.starts(with: Form.mark)
        if hasMark { bytes.removeFirst(Form.mark.count) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ShellError.badTranscript(file, nil, "is not text in UTF-8", hint: "Save it as UTF-8.")
        }
        try self.init(text, file: file, hasMark: hasMark)
    }

    init(_ text: String, file: String, hasMark: Bool = false) throws(ShellError) {
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
        form = Form(hasMark: hasMark, hasReturns: hasReturns)
        bytes = (hasMark ? Form.mark : []) + text.utf8
    }

    /// The text of the file, with new output for each step.
    func text(with outputs: [[String]]) -> String {
        var lines = firstLine
        for (step, output) in zip(steps, outputs) {
            lines += step.prose + step.typed + step.lines(of: output) + step.below
        }
        return (lines + tail).joined(separator: "\n")
    }

    /// The contents of the file, with a text that its lines have.
    func contents(_ text: String) -> [UInt8] {
        (form.hasMark ? Form.mark : []) + ended(text).utf8
    }

    /// The text with the ends of lines that the file has.
    private func ended(_ text: String) -> String {
        form.hasReturns ? text.replacing("\n", with: "\r\n") : text
    }

    /// The reason that a text with these outputs can't be the file's: it would be read as something else.
    func problem(of text: String, with outputs: [[String]]) -> String? {
        let read: [Step]
        do throws(ShellError) {
            read = try Transcript(ended(text), file: file).steps
        } catch {
            return "What was printed can't be written into it: \(error.message)"
        }
        var number = 1
        for (index, (step, output)) in zip(steps, outputs).enumerated() {
            let found = index < read.count ? read[index] : nil
            number = found?.number ?? number
            if found?.expected == output, found?.typed == step.typed, found?.target == step.target {
                continue
            }
            let same = zip(found?.expected ?? [], output).prefix { $0 == $1 }.count
            let line = number + step.typed.count + same
            return "What was printed can't be written into it: line \(line) would not be read as output."
        }
        guard read.count > steps.count else { return nil }
        return "What was printed can't be written into it: line \(read[steps.count].number) would be typed."
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
        isMarkdown = TranscriptFiles.isMarkdown(file)
    }

    mutating func add(_ line: String) throws(ShellError) {
        number += 1
        if isMarkdown { return try add(markdown: line) }
        if number == 1, line.hasPrefix("#!") {
            let words = line.split(separator: " ").map(String.init)
            let options = words[(words.firstIndex(of: "test").map { $0 + 1 } ?? words.count)...]
            if !options.isEmpty { head.options = [(1, Array(options))] }
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
        case .console(let content):
            if let (target, input) = MarkdownReader.typed(content) {
                begin(target, line, input)
                step?.indentation = page.indentation
            } else if content == ">" || content.hasPrefix("> "), step?.target == .shell,
                step?.expected.isEmpty == true
            {
                step?.typed.append(line)
                step?.input += "\n" + content.dropFirst(2)
            } else {
                try add(output: content, line)
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

    private mutating func add(output line: String, _ source: String? = nil) throws(ShellError) {
        if step != nil {
            step?.expected.append(line)
            step?.source.append(source ?? line)
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
            ended.below.insert(ended.source.removeLast(), at: 0)
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
