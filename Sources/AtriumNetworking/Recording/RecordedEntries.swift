/// An entry of a recording: a request or a call, with its answer.
protocol RecordedEntry: Sendable {
    /// The text of the entry in the file.
    var line: String { get }

    func hidden(by walk: SecretWalk) -> Self
}

/// The entries of a recording, without secrets.
struct RecordedEntries<Recorded: RecordedEntry> {
    /// An entry with its secrets.
    struct Answered: Sendable {
        /// The number of its request, which orders the entries.
        let index: Int
        let entry: Recorded
        let rule: SecretRule
    }

    private struct Entry {
        var recorded: Recorded
        let rule: SecretRule
        /// The number of secrets that have been searched for in it.
        var searched = 0
        /// The text in the file; empty before it is made.
        var line = ""
    }

    private var secrets: RecordedSecrets
    /// The entries, first those of a recording that is continued; nil for a request without an answer yet.
    private var entries: [Entry?] = []

    init(secrets: RecordedSecrets) { self.secrets = secrets }

    /// The texts in the order of the requests.
    var lines: [String] { entries.compactMap { $0?.line } }

    /// Adds answers, and hides their secrets and others in all entries.
    mutating func add(_ answered: [Answered], _ others: [String]) {
        var secrets = secrets
        for secret in others { _ = secrets.standIn(for: secret) }
        for new in answered {
            let walk = SecretWalk(rule: new.rule, secret: { secrets.standIn(for: $0) }, text: { $0 })
            let missing = max(0, new.index + 1 - entries.count)
            entries += [Entry?](repeating: nil, count: missing)
            entries[new.index] = Entry(recorded: new.entry.hidden(by: walk), rule: new.rule)
        }
        self.secrets = secrets
        hideAll()
    }

    private mutating func hideAll() {
        var finders: [Int: SecretFinder] = [:]
        for index in entries.indices {
            guard var entry = entries[index], entry.line.isEmpty || entry.searched < secrets.count else {
                continue
            }
            let finder = finders[entry.searched] ?? secrets.finder(after: entry.searched)
            finders[entry.searched] = finder
            let walk = SecretWalk(rule: entry.rule, secret: { $0 }, text: finder.hiding)
            entry.recorded = entry.recorded.hidden(by: walk)
            (entry.line, entry.searched) = (entry.recorded.line, secrets.count)
            entries[index] = entry
        }
    }
}
