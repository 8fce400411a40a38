import Glibc

/// A folder for the files of one transfer, which nobody else may enter; it goes with its content.
struct TemporaryFolder: ~Copyable {
    private let path: String

    /// Where such folders are made unless somebody says otherwise.
    static var standard: String {
        getenv("TMPDIR").map { String(cString: $0) }.flatMap(\.nilIfEmpty) ?? "/tmp"
    }

    /// Makes a folder with mode 0700.
    ///
    /// - Throws: ``EntityFileError``.
    init(in parent: String = standard) throws(EntityFileError) {
        path = try Self.make(in: parent)
    }

    deinit {
        for name in Self.names(in: path) { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String {
        "\(path)/\(name)"
    }

    private static func make(in parent: String) throws(EntityFileError) -> String {
        var template = Array("\(parent)/atrium-entities-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            let isFull = errno == ENOSPC || errno == EDQUOT
            throw .unwritable(parent, FileBytes.reason(errno), isFull: isFull)
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func names(in path: String) -> [String] {
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
}
