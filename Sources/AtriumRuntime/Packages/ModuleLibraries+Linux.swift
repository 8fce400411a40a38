internal import Glibc

/// Finding module libraries, which are shared libraries with a manifest in them; none of their code runs.
enum ModuleLibraries {
    /// The section that holds the manifest.
    static let section = ".atrium.manifest"

    /// The module libraries among `lib*.so` of a folder, by name.
    ///
    /// - Throws: ``ModuleError`` where the folder can't be read.
    static func inFolder(_ folder: String) throws -> [String] {
        try libraries(in: folder).filter(isModule)
    }

    /// The paths of all `lib*.so` of a folder, by name.
    ///
    /// - Throws: ``ModuleError`` where the folder can't be read.
    static func libraries(in folder: String) throws -> [String] {
        guard let entries = opendir(folder) else { throw ModuleError.unreadableFolder(folder, errno: errno) }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("lib"), name.hasSuffix(".so") { names.append(name) }
        }
        return names.sorted().map { folder.hasSuffix("/") ? "\(folder)\($0)" : "\(folder)/\($0)" }
    }

    /// Whether a file is a complete shared library with a manifest.
    static func isModule(_ path: String) -> Bool {
        (try? ELFFile(RandomAccessFile(path)).section(section)) != nil
    }
}
