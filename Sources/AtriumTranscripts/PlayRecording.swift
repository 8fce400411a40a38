@_spi(Host) internal import AtriumKit
internal import AtriumText

/// The lines that a play shows, with their times by its pace, not by the clock.
struct PlayRecording {
    /// A line of the screen.
    struct Line: Equatable {
        /// The output, or the prompt, with colours.
        let text: String
        let time: Duration
        /// The keys typed after it, with their times.
        var keys: [Key] = []
        /// When the next line begins.
        var end: Duration

        /// The typed text.
        var typed: String { String(keys.map(\.character)) }
    }

    struct Key: Equatable {
        let character: Character
        let time: Duration
    }

    let title: String
    let size: TerminalSize
    private(set) var lines: [Line] = []
    /// The time so far.
    private(set) var time = Duration.zero

    init(title: String, size: TerminalSize) { (self.title, self.size) = (title, size) }

    mutating func wait(_ time: Duration) { self.time += time }

    mutating func print(_ text: String) { lines.append(Line(text: text, time: time, end: time)) }

    /// Adds a prompt, at which ``type(_:)`` types until ``enter()``.
    mutating func prompt(_ text: String) { print(text) }

    mutating func type(_ character: Character) {
        guard !lines.isEmpty else { return }
        lines[lines.count - 1].keys.append(Key(character: character, time: time))
    }

    mutating func enter() {
        guard !lines.isEmpty else { return }
        lines[lines.count - 1].end = time
    }

    /// The recording for asciinema's player, in version 2 of its format.
    ///
    /// https://docs.asciinema.org/manual/asciicast/v2/
    var cast: String {
        let header: JSONObject = [
            "version": 2, "width": .integer(Int64(size.columns)), "height": .integer(Int64(size.rows)),
            "title": .string(title), "env": ["TERM": "xterm-256color"],
        ]
        var events: [(Duration, String)] = []
        for (index, line) in lines.enumerated() {
            let start = index == 0 ? "" : "\r\n"
            events.append((line.time, start + line.text))
            if !line.keys.isEmpty { events.append((line.time, Self.bold)) }
            events += line.keys.map { ($0.time, String($0.character)) }
            if !line.keys.isEmpty { events.append((line.end, Self.plain)) }
        }
        events.append((time, "\r\n"))
        let texts = events.map { time, text in
            "[\(time.decimal(in: .seconds(1), digits: 3)), \"o\", \(JSONValue.string(text).serialized)]\n"
        }
        return JSONValue.object(header).serialized + "\n" + texts.joined()
    }

    /// The sequences around typed text.
    static let bold = "\u{1B}[1m"
    static let plain = "\u{1B}[0m"
}
