@_spi(Host) package import AtriumKit
internal import Glibc

extension ModuleError {
    // The folder is nil where no watcher could be made at all.
    static func notWatched(_ folder: String?, errno: CInt) -> ModuleError {
        // inotify_add_watch(2): ENOSPC is about watches, not about a disk.
        let isLimit = errno == ENOSPC || errno == EMFILE
        let reason = isLimit ? "the system allows no more watches" : String(cString: strerror(errno))
        return ModuleError(
            .notWatched, "\(folder.map { "The folder '\($0)'" } ?? "Files") can't be watched: \(reason).",
            hint: isLimit ? "Raise fs.inotify.max_user_watches and fs.inotify.max_user_instances." : nil)
    }
}

extension ErrorCode {
    /// Files can't be watched for changes.
    package static let notWatched: ErrorCode = "notWatched"
}
