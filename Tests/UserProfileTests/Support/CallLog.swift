import Synchronization

/// Keeps in which order things happened, whoever did them.
final class CallLog: Sendable {
    private let entries = Mutex<[String]>([])

    /// What happened so far.
    var all: [String] { entries.withLock { $0 } }

    func add(_ entry: String) {
        entries.withLock { $0.append(entry) }
    }
}
