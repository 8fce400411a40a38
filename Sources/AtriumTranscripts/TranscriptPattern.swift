internal import AtriumKit

/// An expected line of output, which may have placeholders.
///
/// `<*>` is any text, including none. `<now>` is a time of the run in either format that the host prints, up
/// to an hour before `now`, and `<now+30d>` one 30 days later. All other times are compared as they are.
struct TranscriptPattern {
    private enum Part {
        case text([UInt8])
        case moment(days: Int)
    }

    private let text: String
    /// The parts between the wildcards; each piece matches a fixed number of bytes.
    private let pieces: [[Part]]

    var hasPlaceholders: Bool {
        pieces.count > 1 || pieces[0].contains { if case .moment = $0 { true } else { false } }
    }

    init(_ text: String) {
        self.text = text
        var pieces: [[Part]] = [[]]
        var literal: [UInt8] = []
        var rest = Array(text.utf8)[...]
        func endLiteral() {
            if !literal.isEmpty { pieces[pieces.count - 1].append(.text(literal)) }
            literal = []
        }
        while let byte = rest.first {
            if rest.starts(with: Self.any) {
                endLiteral()
                pieces.append([])
                rest = rest.dropFirst(Self.any.count)
            } else if let (days, length) = Self.moment(at: rest) {
                endLiteral()
                pieces[pieces.count - 1].append(.moment(days: days))
                rest = rest.dropFirst(length)
            } else {
                literal.append(byte)
                rest = rest.dropFirst()
            }
        }
        endLiteral()
        self.pieces = pieces
    }

    private static let any = Array("<*>".utf8)

    /// The time placeholder at the beginning of a text: its days, and its length.
    private static func moment(at text: ArraySlice<UInt8>) -> (days: Int, length: Int)? {
        guard text.starts(with: "<now".utf8), let end = text.firstIndex(of: UInt8(ascii: ">")) else {
            return nil
        }
        let inner = String(decoding: text[(text.startIndex + 4)..<end], as: UTF8.self)
        let length = end - text.startIndex + 1
        if inner.isEmpty { return (0, length) }
        guard inner.hasPrefix("+"), inner.hasSuffix("d"), let days = Int(inner.dropFirst().dropLast()),
            (0...1_000_000).contains(days)
        else { return nil }
        return (days, length)
    }

    // MARK: - Comparing

    /// True if a printed line matches.
    func fits(_ line: String, now: Timestamp) -> Bool {
        if line == text { return true }
        let bytes = Array(line.utf8)
        guard pieces.count > 1 else {
            return Self.length(pieces[0]) == bytes.count && has(pieces[0], bytes, 0, now)
        }
        // Every piece has a fixed length, so the leftmost match for each is as good as any other.
        guard has(pieces[0], bytes, 0, now) else { return false }
        var position = Self.length(pieces[0])
        for piece in pieces[1..<(pieces.count - 1)] {
            let last = bytes.count - Self.length(piece)
            guard position <= last, let found = (position...last).first(where: { has(piece, bytes, $0, now) })
            else { return false }
            position = found + Self.length(piece)
        }
        let end = bytes.count - Self.length(pieces[pieces.count - 1])
        return end >= position && has(pieces[pieces.count - 1], bytes, end, now)
    }

    private static func length(_ piece: [Part]) -> Int {
        piece.reduce(0) { length, part in
            if case .text(let text) = part { length + text.count } else { length + PrintedMoment.length }
        }
    }

    private func has(_ piece: [Part], _ bytes: [UInt8], _ start: Int, _ now: Timestamp) -> Bool {
        guard start + Self.length(piece) <= bytes.count else { return false }
        var position = start
        for part in piece {
            switch part {
            case .text(let text):
                guard bytes[position...].starts(with: text) else { return false }
                position += text.count
            case .moment(let days):
                guard let moment = PrintedMoment(bytes[position...]),
                    moment.isWithin(seconds: 3_600, before: now.adding(seconds: days * 86_400))
                else { return false }
                position += PrintedMoment.length
            }
        }
        return true
    }
}

/// A time as the host prints it: `2026-05-28 20:26 UTC` for users, `2026-05-28T20:26:40Z` in JSON.
struct PrintedMoment {
    /// Both formats have this many bytes.
    static let length = 20
    private let moment: Timestamp
    /// True for the format of JSON.
    private let isJSON: Bool

    /// Reads a time at the beginning of a text.
    init?(_ bytes: ArraySlice<UInt8>) {
        let text = bytes.prefix(Self.length)
        guard text.count == Self.length, text.first.map({ (48...57).contains($0) }) == true else {
            return nil
        }
        var form = String(decoding: text, as: UTF8.self)
        isJSON = form.hasSuffix("Z")
        if form.hasSuffix(" UTC") {
            form = form.prefix(10) + "T" + form.dropFirst(11).prefix(5) + ":00Z"
        } else if !form.hasSuffix("Z") {
            return nil
        }
        guard let moment = Timestamp(rfc3339: form) else { return nil }
        self.moment = moment
    }

    /// True if it is `now`, or up to this many seconds earlier; printing to the minute may add one minute.
    func isWithin(seconds: Int, before now: Timestamp) -> Bool {
        (now.adding(seconds: -seconds - 60)...now.adding(seconds: 60)).contains(moment)
    }

    /// A line with placeholders for times of the run, or a number of days later.
    static func marking(_ line: String, since start: Timestamp, now: Timestamp) -> String {
        replacing(line, since: start, now: now) { _, days in days == 0 ? "<now>" : "<now+\(days)d>" }
    }

    /// The time that stands for that of a run in recordings.
    private static let recorded = Timestamp(rfc3339: "2026-01-01T09:00:00Z") ?? Timestamp(microseconds: 0)

    /// A line with one fixed time in place of the times of the run, so that recordings of two runs are equal.
    static func fixing(_ line: String, since start: Timestamp, now: Timestamp) -> String {
        replacing(line, since: start, now: now) { moment, days in
            let text = recorded.adding(seconds: days * 86_400).description
            return moment.isJSON ? text : "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
        }
    }

    private static func replacing(
        _ line: String, since start: Timestamp, now: Timestamp,
        _ replacement: (_ moment: Self, _ days: Int) -> String
    ) -> String {
        let bytes = Array(line.utf8)
        guard bytes.count >= length else { return line }
        // Rounded up: a time is printed to the minute before it, and the start may be a moment after that.
        let elapsed = now.seconds(since: start) + 1
        var marked: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if let moment = PrintedMoment(bytes[position...]), let days = moment.days(elapsed, now) {
                marked += replacement(moment, days).utf8
                position += length
            } else {
                marked.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: marked, as: UTF8.self)
    }

    /// The number of days after the run, if it is a time of the run or that much later.
    private func days(_ elapsed: Int, _ now: Timestamp) -> Int? {
        let day: Int64 = 86_400_000_000
        let ahead = moment.microseconds.subtractingClamped(now.microseconds)
        let days = Int(ahead.addingClamped(day / 2) / day)
        guard days >= 0, isWithin(seconds: elapsed, before: now.adding(seconds: days * 86_400)) else {
            return nil
        }
        return days
    }
}
