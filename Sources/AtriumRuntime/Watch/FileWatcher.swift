/// Reports when a file was replaced or rewritten, and is complete and unchanged since a moment.
///
/// Looks at the files ten times a second. Unlike events of the system (inotify) that needs no limits raised,
/// follows links, folders that are moved, and files of other machines, and costs a system call for each file.
/// A file that goes is not reported; when it is back with other contents or times, it is.
@MainActor
final class FileWatcher {
    private let isComplete: (String) -> Bool
    private let onChange: @MainActor (String) -> Void
    private var files: [String: Watched] = [:]
    private var task: Task<Void, Never>?

    /// Identities of a file; nil where there was none.
    private struct Watched {
        /// When it was last reported.
        var reported: String?
        /// When it was last looked at.
        var seen: String?
    }

    /// Reports paths as they were given.
    ///
    /// A file that is not complete is reported after the change that completes it. Without an interval
    /// the caller scans.
    init(
        interval: Duration? = .milliseconds(100), isComplete: @escaping (String) -> Bool = { _ in true },
        onChange: @escaping @MainActor (String) -> Void
    ) {
        self.isComplete = isComplete
        self.onChange = onChange
        guard let interval else { return }
        task = Task { [weak self] in
            while (try? await Task.sleep(for: interval)) != nil { await self?.scan() }
        }
    }

    isolated deinit { task?.cancel() }

    /// Watches these files instead of the present ones.
    ///
    /// - Parameters:
    ///   - paths: Absolute paths.
    ///   - identities: The identities of files when they were read: changes since are reported. Of other files,
    ///     changes from now on are.
    func watch(_ paths: Set<String>, knownAs identities: [String: String] = [:]) {
        files = files.filter { paths.contains($0.key) }
        for path in paths where files[path] == nil {
            files[path] = Watched(reported: FileSystem.identity(of: path))
        }
        for (path, identity) in identities { files[path]?.reported = identity }
    }

    /// Reports the files that are complete, and as they were at the scan before, but not as they were reported.
    func scan() async {
        let identities = await Self.identities(of: Array(files.keys))
        for (path, identity) in identities {
            guard let file = files[path] else { continue }
            files[path]?.seen = identity
            guard identity != file.reported, identity == file.seen else { continue }
            files[path]?.reported = identity
            if isComplete(path) { onChange(path) }
        }
    }

    /// Off the main actor; leaves out what there is not.
    @concurrent
    private static func identities(of paths: [String]) async -> [(path: String, identity: String)] {
        paths.compactMap { path in FileSystem.identity(of: path).map { (path, $0) } }
    }
}
