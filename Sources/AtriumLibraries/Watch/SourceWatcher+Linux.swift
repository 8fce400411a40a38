internal import AtriumStorage
internal import Dispatch
internal import Glibc

/// Reports when a package's manifest or any files in its folders have changed and been quiet since.
@MainActor
package final class SourceWatcher {
    /// Build products, in addition to names that begin with a dot.
    private static let ignored: Set = [".build", "Package.resolved"]
    /// The quiet time to wait for: an editor writes a file in several steps, a formatter several files.
    private static let quiet = Duration.milliseconds(40)

    private let folder: String
    private let inotify: Inotify
    private let source: any DispatchSourceRead
    private let onChange: @MainActor (Change) -> Void
    private var watches: [String: CInt] = [:]
    /// The source files when a change was last reported.
    private var reported: [String: Source] = [:]
    private var turn = 0

    private struct Source: Equatable {
        let identity: String
        /// The time of the last modification, in whole seconds.
        let second: Int
    }

    package struct Change {
        /// True if a file was modified again in the second of its last change, which a compiler that compares
        /// whole seconds does not notice.
        package let isWithinSecond: Bool
    }

    /// - Parameters:
    ///   - folder: The package's folder.
    ///   - onChange: Called once for changes in quick succession.
    /// - Throws: ``ModuleError`` if the system allows no more watches.
    package init(_ folder: String, onChange: @escaping @MainActor (Change) -> Void) throws {
        self.folder = folder
        self.onChange = onChange
        let inotify = try Inotify()
        self.inotify = inotify
        source = DispatchSource.makeReadSource(fileDescriptor: inotify.descriptor, queue: .main)
        source.setCancelHandler { @Sendable in inotify.close() }
        source.activate()
        reported = try scan()
        source.setEventHandler { @Sendable [weak self] in
            MainActor.assumeIsolated { self?.readEvents() }
        }
    }

    isolated deinit { source.cancel() }

    private func readEvents() {
        guard !inotify.read().isEmpty else { return }
        turn += 1
        let turn = turn
        FileWatcher.afterwards(Self.quiet) { [weak self] in self?.check(turn) }
    }

    private func check(_ turn: Int) {
        // Folders that can't be watched any more were removed, or reappear with the next event.
        guard turn == self.turn, let found = try? scan(), found != reported else { return }
        let isWithinSecond = found.contains { path, source in
            guard let former = reported[path], former != source else { return false }
            return former.second == source.second
        }
        reported = found
        onChange(Change(isWithinSecond: isWithinSecond))
    }

    /// Watches all folders, including new ones, and reads the identities of the files.
    private func scan() throws -> [String: Source] {
        var files: [String: Source] = [:]
        var present: Set<String> = []
        var folders = [folder]
        while let folder = folders.popLast() {
            // Watch the folder before reading it, so that later changes cause events.
            guard let watch = try inotify.add(folder, Inotify.contents) else { continue }
            watches[folder] = watch
            present.insert(folder)
            for name in Folder.names(in: folder) ?? [] where !Self.isIgnored(name) {
                let path = "\(folder)/\(name)"
                if FileStatus(of: path, followsLinks: false)?.kind == .folder {
                    folders.append(path)
                } else {
                    files[path] = Self.source(path)
                }
            }
        }
        for (folder, watch) in watches where !present.contains(folder) {
            inotify.remove(watch)
            watches[folder] = nil
        }
        return files
    }

    private static func source(_ path: String) -> Source? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Source(identity: FileSystem.identity(status), second: status.st_mtim.tv_sec)
    }

    /// True if a name is not a source: version control, build products or an editor's own files.
    private static func isIgnored(_ name: String) -> Bool {
        name.hasPrefix(".") || name.hasSuffix("~") || ignored.contains(name)
    }
}
