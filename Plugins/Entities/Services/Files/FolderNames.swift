import Glibc

/// The names in a folder.
enum FolderNames {
    /// The names, without `.` and `..`; none where it can't be read.
    static func of(_ path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    /// Removes a folder and the files in it.
    static func removeFolder(_ path: String) {
        for name in of(path) { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}
