internal import AtriumKit
internal import Synchronization

/// Writes the entries of a recording to a file, without secrets.
///
/// A value that is secret by its name is hidden wherever it occurs, also in earlier entries. The file is whole at
/// any time: it is written when it begins, at most once a second while entries arrive, and at the end.
final class RecordingWriter<Entry: RecordedEntry>: Sendable {
    let path: String
    /// The lines before and after the entries.
    private let frame: (head: String, tail: String)
    /// The size in bytes after which no entries are added.
    private let limit: Int
    private let state: Mutex<State>
    /// Held from the entries to the file, so that an older one never replaces a newer one.
    private let written: Mutex<RecordedEntries<Entry>>

    /// The state of the recording between two writes of the file.
    private struct State {
        /// The number of entries that have begun.
        var count: Int
        var answered: [RecordedEntries<Entry>.Answered]
        var secrets: [String] = []
        var isWriting = false
        var isFull = false
    }

    /// Begins a recording, or continues that of an earlier host.
    ///
    /// - Throws: `FileError` if the file can't be written.
    init(
        _ path: String, frame: (head: String, tail: String), limit: Int = .max, continuing earlier: [Entry]?,
        after highestStandIn: Int = 0
    ) throws {
        (self.path, self.frame, self.limit) = (path, frame, limit)
        // Another program may have written it, with secrets.
        let rule = SecretRule(nil)
        let answered = (earlier ?? []).enumerated().map {
            RecordedEntries<Entry>.Answered(index: $0, entry: $1, rule: rule)
        }
        state = Mutex(State(count: answered.count, answered: answered))
        written = Mutex(RecordedEntries(secrets: RecordedSecrets(after: highestStandIn)))
        // A file that can't be written fails at once.
        if earlier == nil { try write() } else { _ = try AtomicFile(path, replaces: true) }
    }

    /// Hides these secrets wherever they occur.
    func hide(_ secrets: [String]) { state.withLock { $0.secrets += secrets } }

    /// Returns the number of an entry that begins.
    func begin() -> Int {
        state.withLock { state in
            defer { state.count += 1 }
            return state.count
        }
    }

    /// Adds an entry that has ended; returns false if the recording is full.
    @discardableResult
    func add(_ entry: Entry, _ rule: SecretRule, at index: Int) -> Bool {
        let (isFull, begins) = state.withLock { state in
            guard !state.isFull else { return (true, false) }
            state.answered.append(RecordedEntries<Entry>.Answered(index: index, entry: entry, rule: rule))
            defer { state.isWriting = true }
            return (false, !state.isWriting)
        }
        if begins { writeSoon() }
        return !isFull
    }

    private func writeSoon() {
        Task.detached(priority: .utility) { [weak self] in
            try? await Task.sleep(for: .seconds(1))
            guard let self else { return }
            state.withLock { $0.isWriting = false }
            // A disk that stays full is reported at the end.
            try? write()
        }
    }

    /// Writes the file with all entries that have ended.
    ///
    /// - Throws: `FileError`; the file then has what it had before.
    func write() throws {
        try written.withLock { written in
            let new = state.withLock { state in
                defer { (state.answered, state.secrets) = ([], []) }
                return state
            }
            written.add(new.answered, new.secrets)
            try write(written.lines)
        }
    }

    private func write(_ lines: [String]) throws {
        let text =
            "\(frame.head)\n\(lines.joined(separator: ",\n"))\(lines.isEmpty ? "" : "\n")\(frame.tail)\n"
        if text.utf8.count > limit { state.withLock { $0.isFull = true } }
        let file = try AtomicFile(path, replaces: true)
        try file.write(Array(text.utf8))
        try file.finish(synchronizing: false)
    }
}
