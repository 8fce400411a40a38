internal import Glibc

/// Who may write a file or a folder, as its mode says.
///
/// Access lists are not looked at, apart from what shows in the bits of the group, which is their mask.
struct Permissions: Sendable, Hashable {
    let owner: uid_t
    let group: gid_t
    /// With the kind of file.
    let mode: mode_t

    init(owner: uid_t, group: gid_t, mode: mode_t) {
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    init(_ status: stat) {
        self.init(owner: status.st_uid, group: status.st_gid, mode: status.st_mode)
    }

    /// The permissions of a folder, links followed.
    ///
    /// - Throws: ``ModuleError`` where there is no such folder.
    init(ofFolder path: String) throws(ModuleError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .folderUnreadable(path, errno: errno) }
        self.init(status)
    }

    /// Who else can write; nil where only `user` and root can.
    ///
    /// A group of the owner's own, the same number for both, counts as the owner. In a folder with the sticky
    /// bit others may add files, but not replace one that is not theirs; that the file in it is the user's
    /// has to be checked with the file.
    func writers(besides user: uid_t) -> Writers? {
        guard owner == user || owner == 0 else { return .owner(owner) }
        let isStickyFolder = mode & S_IFMT == S_IFDIR && mode & S_ISVTX != 0
        if isStickyFolder { return nil }
        if mode & S_IWOTH != 0 { return .everybody }
        return mode & S_IWGRP != 0 && group != owner ? .group(group) : nil
    }

    /// Those who can write without being the user or root.
    enum Writers: Sendable, Hashable {
        case owner(uid_t)
        case group(gid_t)
        case everybody
    }
}

extension Permissions {
    /// Refuses a library that others can write, or whose folder they can.
    ///
    /// The library is asked as it was opened. Of folders two count: the one in which it was looked for, and
    /// the one that links lead to. Those above are not asked: who can write one of them can put another folder
    /// in the place of the last, but only one that passes this check too.
    ///
    /// - Parameters:
    ///   - file: The library.
    ///   - place: Where it is.
    ///   - user: Who starts the host.
    /// - Throws: ``ModuleError`` with code `writableByOthers`, which says who can write what.
    static func check(
        _ file: RandomAccessFile, at place: ResolvedPath, user: uid_t = geteuid()
    ) throws(ModuleError) {
        if let writers = file.permissions.writers(besides: user) {
            throw .writable(place.resolved, by: writers, isFolder: false)
        }
        for folder in place.folders {
            guard let writers = try Permissions(ofFolder: folder).writers(besides: user) else { continue }
            throw .writable(folder, by: writers, isFolder: true)
        }
    }
}
