package import AtriumKit

/// The crashes of the past, and which modules are kept from running because of them.
///
/// A module that crashes twice within a minute is quarantined until somebody releases it, or brings another
/// build of it. A value without any file: the host keeps it in a `StateFile`.
package struct CrashHistory: Codable, Hashable, Sendable {
    /// The latest crashes, the oldest first; at most 50, none more than a day older than the last.
    package private(set) var crashes: [Crash] = []
    /// The modules that are kept from running.
    package private(set) var quarantined: [String: Quarantine] = [:]

    /// A crash, as much of it as has to be kept.
    package struct Crash: Codable, Hashable, Sendable {
        package let time: Timestamp
        /// The module that is held to account; nil where it is none.
        package let module: String?
        package let generation: Int?
        package let digest: String?
        package let sentence: String
        /// The command that was running, and where.
        package var command: String?
        package var place: String?
    }

    /// Why a module does not run.
    package struct Quarantine: Codable, Hashable, Sendable {
        /// A clause for people: "it crashed twice within 8 seconds, the last time by SIGILL".
        package let reason: String
        package let since: Timestamp
        /// The build that crashed.
        package let digest: String?
    }

    /// How close two crashes of a module are that put it into quarantine, in seconds.
    package static let period = 60
    private static let limit = 50
    private static let age = 86_400

    package init() {}

    /// Takes a crash into account.
    ///
    /// Nobody is held to account for a process that was killed, or a crash without a frame in a module.
    ///
    /// - Parameter record: What happened.
    /// - Returns: The module that is quarantined because of it, if one is.
    @discardableResult
    package mutating func append(_ record: CrashRecord) -> String? {
        let module = record.module
        let crash = Crash(
            time: record.time, module: module?.name, generation: module?.generation, digest: module?.digest,
            sentence: record.sentence, command: record.command, place: record.place)
        let earlier = crashes.last { $0.module != nil && $0.module == crash.module }
        crashes.append(crash)
        prune()
        guard let name = crash.module, let earlier else { return nil }
        let distance = earlier.time.seconds(to: crash.time)
        guard distance <= Self.period else { return nil }
        let end = record.signal.map { "by \(SignalName.of($0))" } ?? "by calling exit"
        quarantined[name] = Quarantine(
            reason: "it crashed twice within \(Self.seconds(distance)), the last time \(end)",
            since: crash.time, digest: crash.digest)
        return name
    }

    /// Lets a module run again, and forgets its crashes, so that another one alone changes nothing.
    ///
    /// - Returns: Whether it was quarantined.
    @discardableResult
    package mutating func release(_ module: String) -> Bool {
        crashes.removeAll { $0.module == module }
        return quarantined.removeValue(forKey: module) != nil
    }

    /// Why a build of a module may not run; nil where it may, as another build than the one that crashed may.
    package func quarantine(of module: String, digest: String) -> Quarantine? {
        quarantined[module].flatMap { $0.digest == nil || $0.digest == digest ? $0 : nil }
    }

    private mutating func prune() {
        guard let last = crashes.last else { return }
        crashes.removeAll { $0.time.seconds(to: last.time) > Self.age }
        crashes.removeFirst(max(0, crashes.count - Self.limit))
    }

    private static func seconds(_ count: Int) -> String {
        count <= 1 ? "a second" : "\(count) seconds"
    }
}

extension Timestamp {
    /// The whole seconds between two moments, whichever is first: a clock can be set back.
    fileprivate func seconds(to other: Timestamp) -> Int {
        let (difference, overflow) = other.microseconds.subtractingReportingOverflow(microseconds)
        return overflow ? .max : Int(difference.magnitude / 1_000_000)
    }
}
