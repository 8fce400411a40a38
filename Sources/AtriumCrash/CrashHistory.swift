internal import AtriumKit

/// Past crashes, and the modules that are quarantined because of them.
///
/// A module that crashes twice within a minute is quarantined until it is released or rebuilt. The host keeps
/// the history in a `StateFile`.
package struct CrashHistory: Codable, Hashable, Sendable {
    /// The latest crashes, oldest first; at most 50, none more than a day older than the last.
    private(set) var crashes: [Crash] = []
    package private(set) var quarantined: [String: Quarantine] = [:]

    /// The saved facts of a crash.
    struct Crash: Codable, Hashable, Sendable {
        let time: Timestamp
        /// The module that crashed; nil for the host.
        let module: String?
        let generation: Int?
        let digest: String?
        let sentence: String
        /// True if the host was being started; nil in the files of earlier versions.
        var isInStart: Bool?
        /// True if only its step is known, and another process may have ended it; nil if not.
        var isLost: Bool?
        /// True if a step exceeded the time limit; nil if not.
        var isHang: Bool?
        /// The modules that may have ended the host, the likeliest first; nil for an end with a record or
        /// during the start, or if no module was running.
        var suspects: [CrashRecord.Suspect]?
    }

    package struct Quarantine: Codable, Hashable, Sendable {
        /// A clause for the user: "it crashed twice within 8 seconds, the last time by SIGILL".
        package let reason: String
        let since: Timestamp
        package let digest: String?
    }

    /// The period in which two crashes of a module put it into quarantine, in seconds.
    private static let period = 60
    private static let limit = 50
    private static let age = 86_400

    package init() {}

    /// Adds a crash, and quarantines its module if this is the second within a minute.
    ///
    /// A module that blocked the start for too long, or forked the process, is quarantined the first time; so
    /// is one whose step ended two starts in a row, whatever the time between them. A killed process, or a
    /// crash without a frame or step of a module, counts against no module. A start that ended without a
    /// record may have been killed, so it counts only if the next one ends too. If two hosts in a row end
    /// without a record after their start, the likeliest module that was running the same step or command both
    /// times is quarantined.
    ///
    /// - Parameters:
    ///   - record: The crash.
    ///   - failedStarts: The number of consecutive failed starts, including this one.
    /// - Returns: The module that is quarantined because of it, if any.
    @discardableResult
    package mutating func append(_ record: CrashRecord, failedStarts: Int = 0) -> String? {
        let suspect = suspect(record)
        let module =
            suspect.map { CrashRecord.Culprit(name: $0.module, generation: nil, digest: nil) }
            ?? record.culprit
        let crash = Crash(
            time: record.time, module: module?.name, generation: module?.generation, digest: module?.digest,
            sentence: record.sentence, isInStart: record.isInStart,
            isLost: record.kind == .lost ? true : nil,
            isHang: record.kind == .hang && record.seconds != nil ? true : nil,
            suspects: record.isInStart || record.suspects.isEmpty ? nil : record.suspects)
        let earlier = crashes.last { $0.module != nil && $0.module == crash.module }
        crashes.append(crash)
        prune()
        guard let name = crash.module,
            let reason = Self.reason(
                record, at: crash.time, earlier, isRepeated: suspect != nil, failedStarts: failedStarts)
        else { return nil }
        quarantined[name] = Quarantine(reason: reason, since: crash.time, digest: crash.digest)
        return name
    }

    /// True if a crash was added by an earlier start.
    package func has(_ record: CrashRecord) -> Bool {
        record.kind != .lost && crashes.contains { $0.time == record.time }
    }

    /// The likeliest module that was running the same step or command when this host and the previous one
    /// ended without a record.
    private func suspect(_ record: CrashRecord) -> CrashRecord.Suspect? {
        guard !record.isInStart, let earlier = crashes.last?.suspects else { return nil }
        return record.suspects.first(where: earlier.contains)
    }

    /// The reason for a module's quarantine, as a clause; nil if it is not quarantined.
    private static func reason(
        _ record: CrashRecord, at time: Timestamp, _ earlier: Crash?, isRepeated: Bool, failedStarts: Int
    ) -> String? {
        if record.kind == .fork || record.isInStart && record.kind == .hang { return "it \(record.event)" }
        if isRepeated { return "the host ended twice without a record\(record.circumstances())" }
        guard let earlier else { return nil }
        if record.isInStart, earlier.isInStart == true, failedStarts >= 2, let step = record.step {
            return "\(failedStarts) starts in a row ended while \(step.phrase)"
        }
        if record.kind == .hang, record.seconds != nil, earlier.isHang == true {
            return "it \(record.event), twice"
        }
        guard record.kind != .lost, earlier.isLost != true else { return nil }
        let distance = earlier.time.seconds(to: time)
        guard distance <= period else { return nil }
        let end = record.signal.map { "by \(SignalName.of($0))" } ?? "by calling exit"
        return "it crashed twice within \(distance <= 1 ? "a second" : "\(distance) seconds"), "
            + "the last time \(end)"
    }

    /// Lets a module run again, and forgets its crashes: the next one counts as its first.
    package mutating func release(_ module: String) {
        crashes.removeAll { $0.module == module }
        quarantined[module] = nil
    }

    private mutating func prune() {
        guard let last = crashes.last else { return }
        crashes.removeAll { $0.time.seconds(to: last.time) > Self.age }
        crashes.removeFirst(max(0, crashes.count - Self.limit))
    }
}

extension Timestamp {
    /// The whole seconds between two times, in either order: a clock can be set back.
    fileprivate func seconds(to other: Timestamp) -> Int {
        let (difference, overflow) = other.microseconds.subtractingReportingOverflow(microseconds)
        return overflow ? .max : Int(difference.magnitude / 1_000_000)
    }
}
