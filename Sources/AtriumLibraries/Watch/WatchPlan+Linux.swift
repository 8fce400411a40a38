internal import AtriumStorage

/// The folders to watch for everything that changes the files which some paths lead to.
///
/// Paths are followed as by the kernel. Each folder on a path is watched for being deleted or moved; the
/// folder of each symbolic link, of the file, and the last existing one of a broken path are watched for
/// their contents. Each folder's path is followed once.
struct WatchPlan {
    /// The events to watch in each folder, by real path: bits of `IN_…`.
    private(set) var folders: [String: UInt32] = [:]
    /// The paths that depend on a name in a folder, by the folder's real path.
    private(set) var dependents: [String: [String: Set<String>]] = [:]
    private var known: [String: Way] = [:]
    /// The number of links that the kernel follows.
    private static let linkLimit = 40

    init(_ paths: some Sequence<String>) {
        for path in paths {
            let way = way(to: path)
            for folder in way.folders { folders[folder, default: 0] |= Inotify.itself }
            for point in way.points {
                folders[point.folder, default: 0] |= Inotify.contents
                dependents[point.folder, default: [:]][point.name, default: []].insert(path)
            }
        }
    }

    /// The result of following a path.
    private struct Way {
        /// The real path; nil if the path is broken or leads to a file.
        var end: String?
        var folders: Set<String> = []
        var points: [(folder: String, name: String)] = []
        var links = 0
    }

    private mutating func way(to path: String) -> Way {
        if path == "/" || path.isEmpty { return Way(end: "/", folders: ["/"]) }
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let name = String(path[slash...].drop { $0 == "/" })
        let parent = String(path[..<slash])
        let before = known[parent] ?? way(to: parent)
        known[parent] = before
        guard let folder = before.end else { return before }
        return follow(name, in: folder, before)
    }

    private mutating func follow(_ name: String, in folder: String, _ before: Way) -> Way {
        var way = before
        switch name {
        case "", ".": return way
        case "..":
            way.end = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
            if way.end == "" { way.end = "/" }
            return way
        default: break
        }
        let path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
        way.end = nil
        switch FileStatus(of: path, followsLinks: false)?.kind {
        case .folder:
            way.folders.insert(path)
            way.end = path
        case .link:
            way.points.append((folder, name))
            way.links += 1
            guard way.links <= Self.linkLimit, let target = FileSystem.linkTarget(path) else { return way }
            way.end = target.hasPrefix("/") ? "/" : folder
            for part in target.split(separator: "/") {
                guard let folder = way.end else { return way }
                way = follow(String(part), in: folder, way)
            }
        default:
            way.points.append((folder, name))
        }
        return way
    }
}
