internal import AtriumKit
internal import Glibc

/// The folder that holds what Atrium keeps between runs: databases, state, journals.
public struct DataFolder: Sendable, Hashable {
    /// The absolute path of the folder.
    public let path: String

    /// Finds the folder, and touches nothing.
    ///
    /// The first of: `explicit`, `$XDG_STATE_HOME/atrium`, `$HOME/.local/state/atrium`. A variable that
    /// is empty counts as not set; so does a relative XDG_STATE_HOME, as the XDG specification asks.
    ///
    /// - Parameters:
    ///   - explicit: What a person chose; made absolute against the current folder.
    ///   - variable: Reads a variable of the process's environment.
    /// - Throws: ``StorageError`` with code `dataFolderUnknown` where neither variable helps.
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

    /// The variable of the process's environment; nil where it is not set.
    public static func environmentVariable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The path of a file in the folder.
    public func path(_ name: String) -> String {
        Self.joined(path, name)
    }

    /// Makes the folder ready to write into, for its owner alone.
    ///
    /// A missing folder is created with mode 0700, as are the folders above it, and gets a marker file.
    /// A folder that has the marker, or is empty, is tightened to 0700. A folder that holds something
    /// else was made for another purpose too: it keeps its mode and gets no marker.
    ///
    /// What killed writers left in a folder of ours is removed.
    ///
    /// Three system calls and one listing where the folder is ready.
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
    /// The file that tells our folder from one that was made for something else.
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

    /// The permissions of the folder; nil where nothing is there.
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
            // Another process prepares the same folder.
        }
    }

    private static func absolute(_ path: String) throws(StorageError) -> String {
        // An empty name stays empty: as a relative path it would mean the current folder.
        guard !path.isEmpty, !path.hasPrefix("/") else { return path }
        guard let current = getcwd(nil, 0) else { throw .folderUnwritable(path, .current) }
        defer { free(current) }
        return joined(String(cString: current), path)
    }

    private static func joined(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}
