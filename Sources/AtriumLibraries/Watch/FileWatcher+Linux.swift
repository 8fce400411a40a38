internal import AtriumStorage
internal import Dispatch
internal import Glibc

/// Reports when a file was replaced or rewritten, is complete, and no longer changes.
///
/// Files and folders may be missing; a path stands for the file that it leads to, through any symbolic links.
/// A removed file is not reported, but is when it returns with other contents or times. The system drops
/// events when too many arrive at once: all files are checked then.
@MainActor
package final class FileWatcher {
    /// Runs an action after a delay, on the main actor.
    package typealias Schedule = @MainActor (Duration, @escaping @MainActor () -> Void) -> Void

    /// The time without changes after which a file is reported.
    private static let quiet = Duration.milliseconds(150)
    private let isComplete: (String) -> Bool
    private let onChange: @MainActor (String) -> Void
    private let schedule: Schedule
    /// Called once with the path of a file that changed and stays missing or incomplete.
    package var onUnusable: (@MainActor (String) -> Void)?
    /// The identities of the files that ``onUnusable`` was called for; empty for a missing one.
    private var unusable: [String: String] = [:]
    /// The time that a file may stay missing or incomplete before it is reported: a build may be writing it.
    private static let patience = Duration.seconds(5)
    /// The queue of events.
    let inotify: Inotify
    private let source: any DispatchSourceRead
    private var plan = WatchPlan(EmptyCollection())
    /// The watch of each folder; kinds are bits of `IN_…`.
    private var watches: [String: (number: CInt, kinds: UInt32)] = [:]
    /// The folder of each watch.
    private var folders: [CInt: String] = [:]
    private var paths: Set<String> = []
    /// The identity of each file when it was last reported; none if it did not exist.
    private var reported: [String: String] = [:]
    /// The changed files that wait for a check.
    private var pending: [String: PendingCheck] = [:]
    private var turn = 0

    /// A changed file.
    private struct PendingCheck {
        /// The number of the valid check: the one scheduled last.
        var turn: Int
        /// Its identity when the check was scheduled; nil if it did not exist.
        var identity: String?
        /// The number of times that it must still be found unchanged.
        var checks: Int
    }

    /// The number of times that a file which was created but not closed must be found unchanged.
    ///
    /// A linker may write to it through mapped memory, which causes no events; neither does closing a file
    /// that was opened without a name (`O_TMPFILE`).
    private static let checksOfCreated = 10

    /// - Parameters:
    ///   - isComplete: Whether a file is complete; if not, it is checked again when it is next closed.
    ///   - schedule: The clock.
    ///   - onChange: Receives the path as it was given.
    /// - Throws: ``ModuleError`` if the system allows no more watchers.
    package init(
        isComplete: @escaping (String) -> Bool = { _ in true },
        schedule: @escaping Schedule = FileWatcher.afterwards,
        onChange: @escaping @MainActor (String) -> Void
    ) throws {
        self.isComplete = isComplete
        self.schedule = schedule
        self.onChange = onChange
        let inotify = try Inotify()
        self.inotify = inotify
        source = DispatchSource.makeReadSource(fileDescriptor: inotify.descriptor, queue: .main)
        source.setEventHandler { @Sendable [weak self] in
            MainActor.assumeIsolated { self?.readEvents() }
        }
        source.setCancelHandler { @Sendable in inotify.close() }
        source.activate()
    }

    isolated deinit {
        source.cancel()
    }

    /// Watches these files instead of the present ones.
    ///
    /// - Parameters:
    ///   - paths: Absolute paths.
    ///   - identities: The identities of files when they were read: later changes are reported. For other
    ///     files, changes from now on are reported.
    /// - Throws: ``ModuleError`` if the system allows no more watches; the files before that are watched.
    package func watch(_ paths: Set<String>, knownAs identities: [String: String] = [:]) throws {
        let new = paths.subtracting(self.paths)
        self.paths = paths
        reported = reported.filter { paths.contains($0.key) }
        pending = pending.filter { paths.contains($0.key) }
        defer {
            for path in new { reported[path] = FileSystem.identity(of: path) }
            for (path, identity) in identities where paths.contains(path) {
                reported[path] = identity
                if identity != FileSystem.identity(of: path) { noteChange(of: path) }
            }
        }
        try arm()
    }

    /// Ends watching; nothing is reported from now on.
    package func stop() {
        source.cancel()
        paths = []
        pending = [:]
    }

    // MARK: - Watches

    /// Updates the watches to the files that the paths lead to now.
    private func arm() throws {
        defer { removeWatches() }
        // Another round finds what appeared in a folder before its watch was set. Folders that change faster
        // than that cause events too.
        for _ in 0..<10 {
            plan = WatchPlan(paths)
            var isSettled = true
            for (folder, kinds) in plan.folders where watches[folder]?.kinds != kinds {
                guard let number = try add(folder, kinds) else { continue }
                if watches[folder]?.number != number { isSettled = false }
                watches[folder] = (number, kinds)
                folders[number] = folder
            }
            if isSettled { return }
        }
    }

    private func add(_ folder: String, _ kinds: UInt32) throws -> CInt? {
        do {
            return try inotify.add(folder, kinds)
        } catch {
            // A folder on the path may be searchable but not readable.
            guard kinds == Inotify.itself else { throw error }
            return nil
        }
    }

    private func removeWatches() {
        watches = watches.filter { plan.folders[$0.key] != nil }
        for (number, folder) in folders where watches[folder]?.number != number {
            folders[number] = nil
            inotify.remove(number)
        }
    }

    /// Removes the watches of a folder that was removed or replaced, and of all folders below it.
    private func forget(_ folder: String) {
        watches = watches.filter { $0.key != folder && !$0.key.hasPrefix("\(folder)/") }
    }

    // MARK: - Events

    /// Reads the system's events.
    func readEvents() {
        // A closed descriptor may be reused.
        guard !source.isCancelled else { return }
        take(inotify.read())
    }

    /// Handles events, in order.
    func take(_ events: [Inotify.Event]) {
        var created: Set<String> = []
        var changed: Set<String> = []
        var isWayChanged = false
        for event in events {
            guard !event.has(IN_Q_OVERFLOW) else {
                watches = [:]
                changed = paths
                isWayChanged = true
                continue
            }
            guard let folder = folders[event.watch] else { continue }
            if event.name.isEmpty {
                forget(folder)
                changed = paths
                isWayChanged = true
            } else if let paths = plan.dependents[folder]?[event.name] {
                changed.formUnion(paths)
                if event.has(IN_CREATE), isNewFile("\(folder)/\(event.name)") {
                    created.formUnion(paths)
                } else {
                    created.subtract(paths)
                }
                if !event.has(IN_CLOSE_WRITE) { isWayChanged = true }
            }
        }
        // Errors are reported by the next call of watch(_:knownAs:).
        if isWayChanged { try? arm() }
        for path in changed {
            noteChange(of: path, checks: created.contains(path) ? Self.checksOfCreated : 1)
        }
    }

    /// Schedules a check of a file after a quiet period.
    private func noteChange(of path: String, checks: Int = 1) {
        turn += 1
        pending[path] = PendingCheck(turn: turn, identity: FileSystem.identity(of: path), checks: checks)
        scheduleCheck(of: path, turn)
    }

    private func scheduleCheck(of path: String, _ turn: Int) {
        schedule(Self.quiet) { [weak self] in self?.check(path, turn) }
    }

    private func check(_ path: String, _ turn: Int) {
        guard let file = pending[path], file.turn == turn else { return }
        let identity = FileSystem.identity(of: path)
        guard let identity, identity != reported[path] else {
            pending[path] = nil
            if identity == nil { noteUnusable(path, "") } else { unusable[path] = nil }
            return
        }
        if identity != file.identity {
            // It is still being written; the count starts over for a file that was not closed.
            noteChange(of: path, checks: file.checks > 1 ? Self.checksOfCreated : 1)
        } else if file.checks > 1 {
            pending[path]?.checks -= 1
            scheduleCheck(of: path, turn)
        } else {
            pending[path] = nil
            guard FileStatus(of: path)?.kind == .file, isComplete(path) else {
                return noteUnusable(path, identity)
            }
            reported[path] = .some(identity)
            unusable[path] = nil
            onChange(path)
        }
    }

    /// True if a path is a regular file with one name, not a symbolic or hard link.
    private func isNewFile(_ path: String) -> Bool {
        FileStatus(of: path, followsLinks: false).map { $0.kind == .file && $0.linkCount == 1 } ?? false
    }

    /// Reports that a file is missing or incomplete, if it has not changed after a delay.
    private func noteUnusable(_ path: String, _ identity: String) {
        guard let onUnusable, unusable[path] != identity else { return }
        unusable[path] = identity
        schedule(Self.patience) { [weak self] in
            guard let self, self.unusable[path] == identity, self.paths.contains(path) else { return }
            if (FileSystem.identity(of: path) ?? "") == identity {
                onUnusable(path)
            } else {
                self.unusable[path] = nil
            }
        }
    }

    /// Runs an action after a delay, by the system's clock.
    package static func afterwards(_ time: Duration, _ action: @escaping @MainActor () -> Void) {
        Task {
            guard (try? await Task.sleep(for: time)) != nil else { return }
            action()
        }
    }
}
