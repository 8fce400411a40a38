/// How often something took how long, in a fixed amount of memory.
///
/// The buckets are log-linear: each power of two of microseconds has 16 of equal width, so a bucket is at
/// most a sixteenth of its values wide, and a percentile, told as the middle of its bucket, is wrong by at
/// most 1/32 (3.2 %). Times below 16 microseconds are exact to the microsecond; those above 2^36 microseconds
/// (19 hours) count as that.
package struct LatencyHistogram: Sendable, Hashable {
    private static let subBuckets = 16
    private static let highestExponent = 35
    private static let bucketCount = subBuckets * (highestExponent - 2)

    /// Made with the first time that is noted: most endpoints are never called.
    private var buckets: [UInt32] = []
    /// How many times were noted.
    package private(set) var count = 0
    /// The longest of them.
    package private(set) var longest = Duration.zero

    package init() {}

    /// Notes a time; a negative one counts as none.
    package mutating func note(_ time: Duration) {
        if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.bucketCount) }
        buckets[Self.bucket(of: time.inMicroseconds)] &+= 1
        count += 1
        longest = max(longest, time)
    }

    /// The time that a share of all times did not exceed: 0.99 for p99; nil where none were noted.
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
        // The four bits below the highest one tell the bucket within its power of two.
        return (exponent - 3) * subBuckets + Int(microseconds >> (exponent - 4)) - subBuckets
    }

    private static func middle(of bucket: Int) -> Duration {
        guard bucket >= subBuckets else { return .microseconds(bucket) }
        let shift = bucket / subBuckets - 1
        let low = Int64(bucket % subBuckets + subBuckets) << shift
        return .microseconds(low + (Int64(1) << shift) / 2)
    }
}
