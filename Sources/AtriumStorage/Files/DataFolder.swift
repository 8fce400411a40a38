internal import AtriumKit
internal import Glibc

/// The folder for data between runs: databases, state, journals.
public struct DataFolder: Sendable, Hashable {
    public let path: String

    /// Chooses the first of `explicit`, `$XDG_STATE_HOME/atrium` and `$HOME/.local/state/atrium`; touches no file.
    ///
    /// Empty variables and a relative XDG_STATE_HOME are ignored, as the XDG specification demands.
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

    public static func environmentVariable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The path of a file in the folder.
    public func path(_ name: String) -> String {
        Self.joined(path, name)
    }

    /// Makes the folder writable, for its owner alone.
    ///
    /// Creates missing folders with mode 0700 and a marker file. Restricts a folder with the marker, or an empty one,
    /// to 0700; a folder with other files keeps its mode and gets no marker. Removes the temporary files of killed
    /// writers.
    ///
    /// - Throws: ``StorageError`` with code `dataFolderUnwritable`.
    public func prepare() throws(StorageError) {
        do {
            try makeReady()
        } catch {
            throw .folderUnwritable(path, error)
        }
    }
}

extension DataFolder {
    /// Marks a folder as ours.
    static let markerName = "atrium-data"
    private static let markerText = "This folder belongs to Atrium and holds the data of its modules.\n"

    private func makeReady() throws(SystemError) {
        var mode = try existingMode()
        if mode == nil {
            try FolderCreation.create(path)
            mode = try existingMode()
        }
        guard let mode else { throw SystemError(number: ENOENT) }

        if exists(self.path(Self.markerName)) {
            try tighten(from: mode)
            AtomicFile.removeLeftovers(in: path)
        } else if try isEmpty() {
            try tighten(from: mode)
            try writeMarker()
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else { throw .current }
    }

    /// The permissions of the folder; nil if it does not exist.
    private func existingMode() throws(SystemError) -> mode_t? {
        guard !path.isEmpty else { throw SystemError(number: ENOENT) }
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .current }
            return nil
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemError(number: ENOTDIR) }
        return status.st_mode & 0o777
    }

    private func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    private func tighten(from mode: mode_t) throws(SystemError) {
        guard mode != 0o700 else { return }
        guard chmod(path, 0o700) == 0 else { throw .current }
    }

    private func isEmpty() throws(SystemError) -> Bool {
        guard let folder = opendir(path) else { throw .current }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { return false }
        }
        return true
    }

    private func writeMarker() throws(SystemError) {
        let path = self.path(Self.markerName)
        do {
            try NewFile.write(Array(Self.markerText.utf8), to: path, synchronizing: false)
        } catch  where error.number == EEXIST {
            // Another process prepares the folder too.
        }
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

enum FolderCreation {
    /// Creates the folder and those above it with mode 0700.
    ///
    /// - Returns: Whether the folder is new.
    @discardableResult
    static func create(_ path: String) throws(SystemError) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        let error = SystemError.current
        if error.number == EEXIST { return false }
        guard error.number == ENOENT, let parent = parent(of: path) else { throw error }
        try create(parent)
        guard mkdir(path, 0o700) != 0 else { return true }
        // Another process may have made it meanwhile.
        guard errno == EEXIST else { throw .current }
        return false
    }

    static func parent(of path: String) -> String? {
        let trimmed = trimmingSlashes(path[...])
        guard let slash = trimmed.lastIndex(of: "/") else { return nil }
        let parent = trimmingSlashes(trimmed[..<slash])
        return parent.isEmpty ? nil : String(parent)
    }

    private static func trimmingSlashes(_ path: Substring) -> Substring {
        var path = path
        while path.last == "/" { path.removeLast() }
        return path
    }
}

/// The folder of a module's own files.
public enum ModuleFolder {
    /// Makes the folder and those above it for their owner alone, and returns its path.
    public static func make(_ path: String) throws -> String {
        do throws(SystemError) {
            try FolderCreation.create(path)
        } catch {
            throw StorageError.unwritable(path, error)
        }
        return path
    }
}
