internal import AtriumLibraries
internal import AtriumStorage

/// A look at the files that a snapshot holds, to notice later changes.
///
/// Databases change by commits, all others by replaced or rewritten files. The count of ``FixedIDs`` is left out.
struct StateMark: Equatable, Sendable {
    /// The most data to copy before a change; copying it takes some milliseconds.
    private static let largestSize = 8 << 20
    private static let mostFiles = 200

    /// The number of transactions of modules.
    let commits: Int
    private var identities: [String: String] = [:]
    private var count = 0
    private var size = 0

    /// Looks at the files of a data folder.
    ///
    /// - Throws: ``BackupError`` as soon as they are too many or too large to be copied before each change.
    init(of folder: String, commits: Int) throws {
        self.commits = commits
        let names = Folder.names(in: folder) ?? []
        for name in names where Snapshot.isState(name) && name != FixedIDs.fileName {
            try add("\(folder)/\(name)", isCompared: true)
        }
        for name in names where Snapshot.isDatabase(name) {
            try add("\(folder)/\(name)", isCompared: false)
            try add("\(folder)/\(name)-wal", isCompared: false)
        }
        try add("\(folder)/\(Snapshot.moduleFiles)", isCompared: true)
    }

    private mutating func add(_ path: String, isCompared: Bool) throws {
        guard let status = FileStatus(of: path, followsLinks: false) else { return }
        // Folders count too, so that the walk ends.
        count += 1
        guard count <= Self.mostFiles else { throw BackupError.tooManyToUndo(Self.mostFiles) }
        switch status.kind {
        case .file:
            size += status.size
            guard size <= Self.largestSize else { throw BackupError.tooLargeToUndo(Self.largestSize) }
            if isCompared { identities[path] = FileSystem.identity(of: path) ?? "" }
        case .folder:
            identities[path] = ""
            for name in Folder.names(in: path, atMost: Self.mostFiles + 1) ?? [] {
                try add("\(path)/\(name)", isCompared: isCompared)
            }
        default: return
        }
    }

    /// Equality ignores the size of databases, which a checkpoint changes.
    static func == (left: StateMark, right: StateMark) -> Bool {
        left.commits == right.commits && left.identities == right.identities
    }
}
