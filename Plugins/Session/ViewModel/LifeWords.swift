/// How long something lasts, in words that are exact enough to plan by.
enum LifeWords {
    /// The largest units, in seconds.
    private static let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")]

    /// `seconds` as "in 30 days", rounded to the unit of which there are at least two; "now" where none are left.
    static func text(_ seconds: Int) -> String {
        guard seconds > 0 else { return "now" }
        for (unit, name) in units where seconds >= 2 * unit - unit / 2 {
            let count = (seconds + unit / 2) / unit
            return "in \(count) \(name)s"
        }
        return seconds == 1 ? "in 1 second" : "in \(seconds) seconds"
    }
}
