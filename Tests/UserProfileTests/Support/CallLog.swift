import Synchronization

/// A thread-safe list of entries in the order in which they were added.
final class CallLog: Sendable {
    private let entries = Mutex<[String]>([])

    /// The entries so far.
    var all: [String] { entries.withLock { $0 } }

    func add(_ entry: String) {
        entries.withLock { $0.append(entry) }
    }
}
