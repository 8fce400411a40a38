@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage

/// The orders that this host has carried out, in a file of its data folder.
///
/// Not stored in the database: a replayed row would take the host back to an older build.
@MainActor
package final class RolloutRecord {
    /// This host's part in an order.
    struct Entry: Codable, Hashable {
        let module: String
        /// The digests of its previous build and of the one that it takes; nil if it took none.
        let previous, taken: String?
        /// The digests of the contracts of its previous build; nil if it took none, or by an older host.
        var contracts: [String]?
        /// The order's expiry, after which the entry is not needed.
        let until: Timestamp
        /// True if the rollout has ended: the host neither takes the build again nor goes back from it.
        var hasEnded: Bool
    }

    private let file: StateFile?
    private var entries: [String: Entry]?

    /// - Parameter path: Its file; nil keeps it in memory.
    package init(path: String?) {
        file = path.map { StateFile(path: $0, isDurable: true) }
    }

    /// This host's part in an order; nil if it had none.
    func entry(of order: RolloutOrder) throws -> Entry? { try read()[order.id] }

    /// Records that this host takes a build, before it does.
    func begin(_ order: RolloutOrder, leaving previous: SharedLibrary, taking digest: String) throws {
        guard try read()[order.id] == nil else { return }
        try note(
            Entry(
                module: order.module, previous: previous.digest, taken: digest,
                contracts: previous.contracts.map(\.digest), until: order.until, hasEnded: false),
            of: order)
    }

    /// Records that this host is done with an order.
    func end(_ order: RolloutOrder) throws {
        var entry =
            try read()[order.id]
            ?? Entry(module: order.module, previous: nil, taken: nil, until: order.until, hasEnded: false)
        guard !entry.hasEnded else { return }
        entry.hasEnded = true
        try note(entry, of: order)
    }

    /// Removes entries that expired longer ago than a clock may be wrong.
    func clean(now: Timestamp) throws {
        let entries = try read()
        let kept = entries.filter { now.adding(seconds: -Self.margin) < $0.value.until }
        if kept.count < entries.count { try write(kept) }
    }

    /// 31 days, in seconds.
    private static let margin = 31 * 86_400

    private func note(_ entry: Entry, of order: RolloutOrder) throws {
        var entries = try read()
        entries[order.id] = entry
        try write(entries)
    }

    private func read() throws -> [String: Entry] {
        if let entries { return entries }
        do {
            let read = try file?.peek([String: Entry].self) ?? [:]
            entries = read
            return read
        } catch {
            // Without the record an order could be carried out again.
            throw RolloutError(
                "recordUnreadable", "The record of rollouts can't be used: \(error.message)",
                hint: "Restore it from a backup, or remove it to take part in rollouts again.", cause: error)
        }
    }

    private func write(_ entries: [String: Entry]) throws {
        try file?.save(entries)
        self.entries = entries
    }
}
