/// The pace of a play: how long keys, pauses and reading take.
///
/// The keys of a line are typed by hand, but by the same hand each time: two plays have the same times.
struct PlayPace {
    /// Above 1 is faster.
    let speed: Double

    /// The pause before a line is typed, and that before Enter.
    var beforeLine: Duration { scaled(.milliseconds(700)) }
    var beforeEnter: Duration { scaled(.milliseconds(350)) }

    /// A long line is typed faster, to end in this time.
    private static let longestLine = Duration.seconds(4)

    /// The time to read lines of output.
    func reading(_ lines: Int) -> Duration {
        scaled(min(.seconds(3), .milliseconds(900) + .milliseconds(110) * lines))
    }

    /// The time after each character of a line.
    ///
    /// - Parameters:
    ///   - text: The line.
    ///   - number: The line's number in the file, which the pace depends on.
    /// - Returns: A time for each character.
    func keys(of text: String, number: Int) -> [Duration] {
        var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 | 1
        let times = text.map { character in
            // xorshift64: an even spread is enough.
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            let pause = character == " " ? 40 : character.isLetter || character.isNumber ? 0 : 60
            return Duration.milliseconds(45 + Int(state >> 58) + pause)
        }
        let whole = times.reduce(.zero, +)
        let factor = whole > Self.longestLine ? Self.longestLine / whole : 1
        return times.map { scaled($0 * factor) }
    }

    /// In whole milliseconds, so that times print as they are.
    private func scaled(_ time: Duration) -> Duration {
        .milliseconds(Int64((time / .milliseconds(1) / speed).rounded()))
    }
}
