package import AtriumKit
internal import Glibc

/// The folder for data between runs: databases, state, journals.
public struct DataFolder: Sendable, Hashable {
    /// The absolute path of the folder, which may not exist yet.
    public let path: String

    /// Takes the first of `explicit`, `$XDG_STATE_HOME/atrium` and `$HOME/.local/state/atrium`.
    ///
    /// Touches no file. Ignores empty variables and a relative XDG_STATE_HOME, as the specification demands.
    ///
    /// - Throws: ``StorageError`` with code `dataFolderUnknown`.
    public init(
        explicit: String? = nil, variable: (String) -> String? = DataFolder.environmentVariable
    ) throws(StorageError) {
        if let explicit {
            path = try Self.absolute(explicit)
        } else if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") {
            path = Self.joined(state, "atrium")
        } else if let home = variable("HOME"), !home.isEmpty {
            path = try Self.absolute(Self.joined(home, ".local/state/atrium"))
        } else {
            throw .folderUnknown
        }
    }

    /// Returns a variable of this process's environment, possibly empty; nil if it is not set.
    public static func environmentVariable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The path of a file in the folder.
    public func path(_ name: String) -> String { Self.joined(path, name) }

    /// Makes the folder writable for its owner alone.
    ///
    /// Creates missing folders with mode 0700 and a marker file. Restricts a folder with the marker, or an
    /// empty one, to 0700; a folder with other files keeps its mode and gets no marker. Removes the temporary
    /// files of killed writers.
    ///
    /// - Throws: ``StorageError`` with code `dataFolderUnwritable`; `dataFolderOfOther` if the superuser
    ///   would write files that the owner of the folder can't read.
    public func prepare() throws(StorageError) {
        var status = stat()
        do throws(SystemError) {
            try Folder.create(path)
            guard stat(path, &status) == 0 else { throw .current }
        } catch {
            throw .folderUnwritable(path, error)
        }
        if geteuid() == 0, status.st_uid != 0 { throw .folderOfOther(path, owner: status.st_uid) }
        do throws(SystemError) {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemError(number: ENOTDIR) }
            let isMarked = access(self.path(Self.markerName), F_OK) == 0
            var isOurs = isMarked
            if !isMarked { isOurs = try isEmpty() }
            if isOurs, status.st_mode & 0o777 != 0o700, chmod(path, 0o700) != 0 { throw .current }
            if isMarked { AtomicFile.removeLeftovers(in: path) } else if isOurs { try writeMarker() }
            guard access(path, R_OK | W_OK | X_OK) == 0 else { throw .current }
        } catch {
            throw .folderUnwritable(path, error)
        }
    }
}

extension DataFolder {
    /// Renames anything in the place of folders, such as a file or dangling link; links to folders may stay.
    ///
    /// - Returns: An error for each item renamed; the folders are created when they are needed.
    /// - Throws: ``StorageError`` with code `stateUnreadable` if the items can't be examined or renamed.
    package func clearFolders(_ names: [String]) throws(StorageError) -> [any ExplainedError] {
        var problems: [any ExplainedError] = []
        for name in names {
            let path = self.path(name)
            do throws(SystemError) {
                guard try isInPlaceOfFolder(path) else { continue }
                guard let copy = DamagedFile.rename(path) else { throw .current }
                problems.append(StorageError.notAFolder(path, copy: copy))
            } catch {
                throw .stateUnreadable(path, .unreadable(path, error))
            }
        }
        return problems
    }

    /// True if a path exists and certainly does not lead to a folder.
    private func isInPlaceOfFolder(_ path: String) throws(SystemError) -> Bool {
        if let status = FileStatus(of: path) { return status.kind != .folder }
        guard [ENOENT, ENOTDIR, ELOOP].contains(errno) else { throw .current }
        return FileStatus(of: path, followsLinks: false) != nil
    }

    package static let markerName = "atrium-data"
    private static let markerText = "This folder belongs to Atrium and holds the data of its modules.\n"

    private func isEmpty() throws(SystemError) -> Bool {
        guard let names = Folder.names(in: path, atMost: 1) else { throw .current }
        return names.isEmpty
    }

    /// Creates the marker; another process that prepares the folder writes the same bytes.
    private func writeMarker() throws(SystemError) {
        let marker = open(self.path(Self.markerName), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard marker >= 0 else { throw .current }
        let isWritten = write(marker, Self.markerText, Self.markerText.utf8.count) >= 0
        // Some file systems report a full disk only here.
        guard close(marker) == 0, isWritten else { throw .current }
    }

    private static func absolute(_ path: String) throws(StorageError) -> String {
        // An empty path must not become the current folder.
        guard !path.isEmpty, !path.hasPrefix("/") else { return path }
        guard let current = getcwd(nil, 0) else { throw .folderUnwritable(path, .current) }
        defer { free(current) }
        return joined(String(cString: current), path)
    }

    private static func joined(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}

/// Folders for their owner's use only.
public enum Folder {
    /// Makes a folder and those above it, and returns its path.
    public static func make(_ path: String) throws(StorageError) -> String {
        do { try create(path) } catch { throw .unwritable(path, error) }
        return path
    }

    /// Makes a new folder in the system's folder for temporary files, and returns its path.
    public static func makeTemporary(_ name: String) throws(StorageError) -> String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .unwritable(base, .current) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The names in a folder, sorted, or some of them; nil, with `errno`, if it can't be read.
    package static func names(in folder: String, atMost limit: Int = .max) -> [String]? {
        guard let listing = opendir(folder) else { return nil }
        defer { closedir(listing) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(listing) {
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 } }
            let name = String(decoding: bytes, as: UTF8.self)
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Creates the folder and those above it.
    package static func create(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
        // Another process may create one of them meanwhile.
        if mkdir(path, mode) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let parent = parent(of: path) else { throw .current }
        try create(parent, mode: mode)
        guard mkdir(path, mode) == 0 || errno == EEXIST else { throw .current }
    }

    static func parent(of path: String) -> String? {
        let names = path.split(separator: "/").dropLast()
        return names.isEmpty ? nil : (path.hasPrefix("/") ? "/" : "") + names.joined(separator: "/")
    }
}
