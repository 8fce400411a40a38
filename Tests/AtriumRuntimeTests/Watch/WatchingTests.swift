import TestSupport

@testable import AtriumLibraries

/// Tests of watchers on files of a folder, with a clock that the test advances.
@MainActor
protocol WatchingTests {
    var folder: TemporaryFolder { get }
    var clock: ManualClock { get }
}

extension WatchingTests {
    /// Watches files of the folder; the first is there, where its folder is and no link has the name.
    func watching(
        _ names: String..., isComplete: @escaping (String) -> Bool = { _ in true }
    ) throws -> Watched {
        let first = names[0]
        let parent = first.contains("/") ? String(first[..<first.lastIndex(of: "/")!]) : "."
        if first != "missing.so", FileSystem.linkTarget(folder.path(first)) == nil,
            FileSystem.exists(folder.path(parent)), !FileSystem.exists(folder.path(first))
        {
            folder.write("old".utf8, to: first)
        }
        let log = Log()
        let prefix = folder.path("")
        let watcher = try FileWatcher(isComplete: isComplete, schedule: clock.schedule) { path in
            log.names.append(String(path.dropFirst(prefix.count)))
        }
        try watcher.watch(Set(names.map(folder.path)))
        return Watched(watcher, log)
    }

    /// Reads what happened, lets all time pass, and returns what was reported since the last time.
    func settle(_ watched: Watched) -> [String] {
        watched.watcher.readEvents()
        while !clock.times.isEmpty { clock.fire() }
        return watched.takeTold()
    }
}

/// A watcher, and the names that it has reported.
@MainActor
final class Watched {
    let watcher: FileWatcher
    private let log: Log
    var reported: [String] { log.names }

    init(_ watcher: FileWatcher, _ log: Log) {
        self.watcher = watcher
        self.log = log
    }

    func takeTold() -> [String] {
        defer { log.names = [] }
        return log.names
    }
}

@MainActor
final class Log {
    var names: [String] = []
}

/// A clock that goes on when it is reported.
@MainActor
final class ManualClock {
    private var actions: [(time: Duration, action: @MainActor () -> Void)] = []

    var times: [Duration] { actions.map(\.time) }

    var schedule: FileWatcher.Schedule {
        { self.actions.append(($0, $1)) }
    }

    /// Runs what is due, but not what that schedules anew.
    func fire(first count: Int = .max) {
        let due = actions.prefix(count)
        actions.removeFirst(due.count)
        for (_, action) in due { action() }
    }
}
