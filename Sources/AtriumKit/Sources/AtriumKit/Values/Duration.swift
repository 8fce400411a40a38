@_spi(Host) extension Duration {
    /// Parses a number of seconds, clamped; nil for other text.
    ///
    /// Rounds a fraction of an attosecond to an odd count, so that rounding never reaches a bound.
    public init?(seconds text: String) {
        guard let number = DecimalNumber(text) else { return nil }
        self.init(attoseconds: number.whole(timesTenTo: 18))
    }

    /// The exact number of seconds: `5`, `1.005`.
    public var secondsText: String {
        let (whole, rest) = attoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
        var text = (attoseconds < 0 ? "-" : "") + String(whole)
        guard rest > 0 else { return text }
        let digits = String(rest)
        text += "." + String(repeating: "0", count: 18 - digits.count) + digits
        while text.last == "0" { text.removeLast() }
        return text
    }

    /// The microseconds, rounded toward zero.
    public var wholeMicroseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }

    /// The milliseconds, rounded toward zero.
    public var wholeMilliseconds: Int64 { wholeMicroseconds / 1_000 }

    /// The number of `unit` with one to three decimals, rounded to nearest: `0.42`; zero for a negative duration.
    public func decimal(in unit: Duration, digits: Int) -> String {
        let scale: Int128 = [10, 100, 1_000][digits - 1]
        let part = unit.attoseconds / scale
        let (whole, left) = max(0, attoseconds).quotientAndRemainder(dividingBy: part)
        let parts = left < part / 2 ? whole : whole + 1
        let rest = String(parts % scale)
        return "\(parts / scale)." + String(repeating: "0", count: digits - rest.count) + rest
    }
}
