/// The progress of an activity: in words, as a bar if it fits, and as an object for programs.
///
/// ```swift
/// Progress("import", label: "Importing", completed: 3, of: 10, elapsed: .seconds(4))
/// // Importing: 3 of 10 (30 %), 4 s  [###-------]
/// ```
public struct Progress: ContentElement, Sendable {
    /// The name for programs, in lower camel case.
    public let key: String
    /// The activity.
    public let label: String
    /// The number done; nil if unknown.
    public let completed: Int?
    /// The total number; nil if unknown.
    public let total: Int?
    /// The time taken so far; nil if unknown.
    public let elapsed: Duration?

    /// Creates the progress of the activity `label`, under `key`; negative counts are taken as zero.
    public init(
        _ key: String = "progress", label: String, completed: Int? = nil, of total: Int? = nil,
        elapsed: Duration? = nil
    ) {
        self.key = key
        self.label = label
        self.completed = completed.map { max(0, $0) }
        self.total = total.map { max(0, $0) }
        self.elapsed = elapsed.map { max(.zero, $0) }
    }

    /// The fraction done, from 0 to 1; nil unless both counts are known and the total is above zero.
    public var fraction: Double? {
        guard let completed, let total, total > 0 else { return nil }
        return min(1, Double(completed) / Double(total))
    }

    /// The progress in one line of words.
    public var text: String {
        let details = [countText, elapsedText].compactMap { $0 }
        return details.isEmpty ? label : label + ": " + details.joined(separator: ", ")
    }

    public var content: Content { Content([.progress(self)]) }

    /// The progress in words: `3 of 10 (30 %)`; nil if no count is known.
    @_spi(Host) public var countText: String? {
        switch (completed, total) {
        case (let completed?, let total?):
            let percent = fraction.map { " (\(Int($0 * 100)) %)" } ?? ""
            return "\(completed) of \(total)" + percent
        case (let completed?, nil): return "\(completed) done"
        case (nil, let total?): return "\(total) in all"
        case (nil, nil): return nil
        }
    }

    private var elapsedText: String? {
        guard let seconds = elapsed?.components.seconds else { return nil }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        if hours > 0 { return "\(hours) h \(minutes) min" }
        return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
    }

    var json: JSONObject {
        [
            "label": .string(label), "completed": completed.json, "total": total.json,
            "elapsedSeconds": elapsed.map { .number($0 / .seconds(1)) } ?? .null,
        ]
    }
}
