internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage
internal import Glibc

/// The files of a data folder that a copy of it has, while a host may write to the folder.
struct DataFolderFiles {
    let folder: String
    /// Files and folders that are left out besides those of a running host.
    var leftOut: Set<String> = []
    /// Sentences about what can't be copied.
    var warnings: [String] = []

    /// Files of a running host: its lock, its socket, its current activity, and the folders of its sandboxes.
    private static let ofRunningHost = [
        "host.lock", "host.sock", "running", Snapshots.unfinishedName, Sandbox.folderName,
    ]
    /// The suffixes of SQLite's files beside a database; the copy of the database contains their contents.
    static let besideDatabases = ["-wal", "-shm", "-journal"]

    /// True for a state file, which is read together with the others.
    static func isState(_ name: String) -> Bool { !name.contains("/") && name.hasSuffix(".json") }

    /// The module that owns a database, by the name of the file.
    static func owner(of name: String) -> String {
        let file = name.split(separator: "/").last.map(String.init) ?? name
        return file.hasSuffix(".sqlite") ? String(file.dropLast(7)) : file
    }

    /// The regular files, as paths from the folder.
    mutating func names(in subfolder: String = "") throws -> [String] {
        guard let listed = Folder.names(in: path(subfolder)) else {
            // It may have been removed since.
            if errno == ENOENT, !subfolder.isEmpty { return [] }
            throw BackupError.unreadable(path(subfolder))
        }
        let found = listed.map { subfolder.isEmpty ? $0 : "\(subfolder)/\($0)" }
        var names: [String] = []
        for name in found where !isSkipped(name, among: found) {
            guard let status = FileStatus(of: path(name), followsLinks: false) else {
                // The name is not UTF-8: decoding replaced bytes, so the path no longer matches.
                if name.contains("\u{FFFD}") {
                    warnings.append("'\(path(name))' is left out: its name is not UTF-8.")
                }
                continue
            }
            switch status.kind {
            case .file: names.append(name)
            case .folder: names += try self.names(in: name)
            // The store finds copies of libraries by links, and recreates them.
            case .link where name.hasPrefix("modules/"): continue
            default: warnings.append("'\(path(name))' is left out: it is not a regular file.")
            }
        }
        return names
    }

    private func isSkipped(_ name: String, among all: [String]) -> Bool {
        if Self.ofRunningHost.contains(name) || leftOut.contains(name) { return true }
        return Self.besideDatabases.contains {
            name.hasSuffix($0) && all.contains(String(name.dropLast($0.count)))
        }
    }

    /// The number of attempts to read the state files without a change in between.
    private static let attempts = 20

    /// Copies the state files together, then the others, each database as it is at one moment.
    ///
    /// - Parameters:
    ///   - add: Copies a file as it is.
    ///   - remove: Removes the copies of state files, of which one changed meanwhile.
    ///   - addDatabase: Copies a database, by its name and its owner; a damaged one is then copied as it is.
    /// - Throws: ``BackupError`` if the state files never rest, and the errors of the closures.
    mutating func copy(
        _ add: (String) throws -> Void, remove: ([String]) throws -> Void,
        addDatabase: (String, _ owner: String) throws -> Void
    ) throws {
        let names = try names()
        let state = names.filter(Self.isState)
        try copyTogether(state, add, remove)
        for name in names where !state.contains(name) {
            guard isDatabase(name) else {
                try add(name)
                continue
            }
            do { try addDatabase(name, Self.owner(of: name)) } catch let error as DatabaseError
                where error.code == .databaseCorrupt
            {
                warnings.append("\(error.message) It is in the backup as it is.")
                try add(name)
            }
        }
    }

    private func copyTogether(
        _ names: [String], _ add: (String) throws -> Void, _ remove: ([String]) throws -> Void
    ) throws {
        for _ in 0..<Self.attempts {
            let before = names.map { FileSystem.identity(of: path($0)) }
            for name in names { try add(name) }
            if names.map({ FileSystem.identity(of: path($0)) }) == before { return }
            try remove(names)
        }
        throw BackupError.restless(folder)
    }

    func path(_ name: String) -> String { name.isEmpty ? folder : "\(folder)/\(name)" }

    /// True if a file is an SQLite database.
    ///
    /// Closing it drops all locks of the process on it, so a host must not ask this about its own databases.
    func isDatabase(_ name: String) -> Bool {
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16)
        return pread(descriptor, &bytes, 16, 0) == 16 && bytes == Array("SQLite format 3\0".utf8)
    }
}
