@_spi(Host) extension Duration {
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
