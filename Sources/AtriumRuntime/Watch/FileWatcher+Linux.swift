internal import Dispatch
internal import Glibc

/// Tells when one of a set of files was replaced or rewritten, and is complete and quiet again.
///
/// Files may be missing, folders on their way too; what matters is what a path leads to, through any symbolic
/// links. Nothing is told of a file that goes; when it is back with other contents or times, that is told.
/// The system forgets events when too many come at once: then all files are looked at.
@MainActor
package final class FileWatcher {
    /// Runs an action after a time, on the main actor.
    package typealias Schedule = @MainActor (Duration, @escaping @MainActor () -> Void) -> Void

    private let quiet: Duration
    private let isComplete: (String) -> Bool
    private let onChange: @MainActor (String) -> Void
    private let schedule: Schedule
    /// The queue of events.
    let inotify: Inotify
    private let source: any DispatchSourceRead
    private var plan = WatchPlan(EmptyCollection())
    /// The folders that are watched, and for what: bits of `IN_…`.
    private var watches: [String: (number: CInt, kinds: UInt32)] = [:]
    /// The folder of each watch.
    private var folders: [CInt: String] = [:]
    private var paths: Set<String> = []
    /// The identity of each file when it was last told; none where it was not there.
    private var told: [String: String] = [:]
    /// The files that something happened to.
    private var unsettled: [String: Unsettled] = [:]
    private var turn = 0

    /// A file that something happened to.
    private struct Unsettled {
        /// Which of several plans to look at it counts: that made last.
        var turn: Int
        /// Its identity when the plan was made; nil where it was not there.
        var identity: String?
        /// How many more times it has to be found unchanged.
        var looks: Int
    }

    /// How often a file that was created, and that nobody has closed since, has to be found unchanged.
    ///
    /// A linker may be writing to it through its memory, which shows nowhere. That it is closed is never told
    /// where the name was given to a file that was open without one (`O_TMPFILE`).
    private static let looksAtCreated = 10

    /// - Parameters:
    ///   - quiet: How long nothing may have happened to a file before it is told.
    ///   - isComplete: Whether a file is whole; one that is not is looked at again when it is next closed.
    ///   - schedule: The clock.
    ///   - onChange: Is told the path, as it was given.
    /// - Throws: ``ModuleError`` where the system allows no more watchers.
    package init(
        quiet: Duration = .milliseconds(150),
        isComplete: @escaping (String) -> Bool = { _ in true },
        schedule: @escaping Schedule = FileWatcher.afterwards,
        onChange: @escaping @MainActor (String) -> Void
    ) throws {
        self.quiet = quiet
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

    /// Watches these files, and no others any more.
    ///
    /// - Parameters:
    ///   - paths: Absolute paths.
    ///   - identities: For files that were read already: their identity then, so that a change since is told.
    ///     Others count as known the way they are now; those that were watched before stay as they were.
    /// - Throws: ``ModuleError`` where the system allows no more watches. Then what could be watched is.
    package func watch(_ paths: Set<String>, knownAs identities: [String: String] = [:]) throws {
        let new = paths.subtracting(self.paths)
        self.paths = paths
        told = told.filter { paths.contains($0.key) }
        unsettled = unsettled.filter { paths.contains($0.key) }
        defer {
            for path in new { told[path] = FileSystem.identity(of: path) }
            for (path, identity) in identities where paths.contains(path) {
                told[path] = identity
                if identity != FileSystem.identity(of: path) { disturb(path) }
            }
        }
        try arm()
    }

    /// Ends watching; nothing is told from now on.
    package func stop() {
        source.cancel()
        paths = []
        unsettled = [:]
    }

    // MARK: - Watches

    /// Brings the watches in line with what the paths lead to now.
    private func arm() throws {
        defer { removeWatches() }
        // What appears in a folder before its watch is there is seen by looking once more. Whoever changes
        // folders faster than that will cause events too.
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
            // A folder on the way can be one that only leads further, and isn't readable.
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

    /// A folder went, or is another now; with it, all below it.
    private func forget(_ folder: String) {
        watches = watches.filter { $0.key != folder && !$0.key.hasPrefix("\(folder)/") }
    }

    // MARK: - Events

    /// Takes what happened from the system.
    func readEvents() {
        // The descriptor may be another's after it is closed.
        guard !source.isCancelled else { return }
        take(inotify.read())
    }

    /// - Parameter events: What happened, in order.
    func take(_ events: [Inotify.Event]) {
        var created: Set<String> = []
        var disturbed: Set<String> = []
        var isWayChanged = false
        for event in events {
            guard !event.has(IN_Q_OVERFLOW) else {
                watches = [:]
                disturbed = paths
                isWayChanged = true
                continue
            }
            guard let folder = folders[event.watch] else { continue }
            if event.name.isEmpty {
                forget(folder)
                disturbed = paths
                isWayChanged = true
            } else if let paths = plan.dependents[folder]?[event.name] {
                disturbed.formUnion(paths)
                if event.has(IN_CREATE), FileSystem.isNewFile("\(folder)/\(event.name)") {
                    created.formUnion(paths)
                } else {
                    created.subtract(paths)
                }
                if !event.has(IN_CLOSE_WRITE) { isWayChanged = true }
            }
        }
        // What can't be watched any more is said when the caller next watches; the rest goes on.
        if isWayChanged { try? arm() }
        for path in disturbed { disturb(path, looks: created.contains(path) ? Self.looksAtCreated : 1) }
    }

    /// Something happened to what a path leads to: it is looked at when it has been quiet.
    private func disturb(_ path: String, looks: Int = 1) {
        turn += 1
        unsettled[path] = Unsettled(turn: turn, identity: FileSystem.identity(of: path), looks: looks)
        scheduleLook(at: path, turn)
    }

    private func scheduleLook(at path: String, _ turn: Int) {
        schedule(quiet) { [weak self] in self?.look(at: path, turn) }
    }

    private func look(at path: String, _ turn: Int) {
        guard let file = unsettled[path], file.turn == turn else { return }
        let identity = FileSystem.identity(of: path)
        guard let identity, identity != told[path] else {
            unsettled[path] = nil
            return
        }
        if identity != file.identity {
            // Still being written to; a file that nobody closed yet has to stay as it is for long again.
            disturb(path, looks: file.looks > 1 ? Self.looksAtCreated : 1)
        } else if file.looks > 1 {
            unsettled[path]?.looks -= 1
            scheduleLook(at: path, turn)
        } else {
            unsettled[path] = nil
            guard FileSystem.isRegularFile(path), isComplete(path) else { return }
            told[path] = .some(identity)
            onChange(path)
        }
    }

    /// The clock of the system.
    package static func afterwards(_ time: Duration, _ action: @escaping @MainActor () -> Void) {
        Task {
            guard (try? await Task.sleep(for: time)) != nil else { return }
            action()
        }
    }
}

extension FileSystem {
    /// Whether there is a regular file, at the end of any links.
    fileprivate static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether a name that was just created is a file, and not a link of either kind.
    fileprivate static func isNewFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
    }
}
