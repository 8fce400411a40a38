extension Duration {
    /// The whole microseconds in it; what is longer than 100,000 years counts as that.
    var inMicroseconds: Int64 {
        let bounded = min(max(components.seconds, -3_000_000_000_000), 3_000_000_000_000)
        return bounded * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
