/// A histogram of durations of fixed size.
///
/// The buckets are log-linear: each power of two of microseconds has 16 of equal width, so a percentile, the
/// middle of its bucket, is wrong by at most 1/32 (3.2 %). Durations below 16 microseconds are exact; those
/// above 2^36 microseconds (19 hours) count as that.
package struct LatencyHistogram: Sendable, Hashable {
    private static let subBuckets = 16
    private static let highestExponent = 35
    private static let bucketCount = subBuckets * (highestExponent - 2)

    /// Made on first use: most endpoints are never called.
    private var buckets: [UInt32] = []
    package private(set) var count = 0
    package private(set) var longest = Duration.zero

    package init() {}

    /// Adds a duration; a negative one counts as zero.
    package mutating func note(_ time: Duration) {
        if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.bucketCount) }
        buckets[Self.bucket(of: time.inMicroseconds)] &+= 1
        count += 1
        longest = max(longest, time)
    }

    /// The duration that a share of all did not exceed: 0.99 for p99; nil for an empty histogram.
    package func percentile(_ share: Double) -> Duration? {
        guard count > 0 else { return nil }
        let rank = max(1, Int((share * Double(count)).rounded(.up)))
        var seen = 0
        for (index, number) in buckets.enumerated() {
            seen += Int(number)
            if seen >= rank { return min(Self.middle(of: index), longest) }
        }
        return longest
    }

    private static func bucket(of microseconds: Int64) -> Int {
        guard microseconds >= subBuckets else { return Int(max(0, microseconds)) }
        let exponent = 63 - microseconds.leadingZeroBitCount
        guard exponent <= highestExponent else { return bucketCount - 1 }
        // The four bits below the highest one select the bucket within its power of two.
        return (exponent - 3) * subBuckets + Int(microseconds >> (exponent - 4)) - subBuckets
    }

    private static func middle(of bucket: Int) -> Duration {
        guard bucket >= subBuckets else { return .microseconds(bucket) }
        let shift = bucket / subBuckets - 1
        let low = Int64(bucket % subBuckets + subBuckets) << shift
        return .microseconds(low + (Int64(1) << shift) / 2)
    }
}

extension Duration {
    /// The whole microseconds, at most 100,000 years.
    var inMicroseconds: Int64 {
        let bounded = min(max(components.seconds, -3_000_000_000_000), 3_000_000_000_000)
        return bounded * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
