internal import Glibc

/// A temporary folder for a child process.
struct ScratchFolder {
    let path: String

    /// Creates it in the folder for temporary files.
    ///
    /// - Throws: ``ModuleError`` if that is not possible.
    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/atrium-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw ModuleError.storeUnwritable(parent, errno: errno)
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes it with its contents, as far as that is possible.
    func remove() {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        guard let listing = opendir(path) else { return }
        defer {
            closedir(listing)
            rmdir(path)
        }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            if entry.pointee.d_type == DT_DIR { remove("\(path)/\(name)") } else { unlink("\(path)/\(name)") }
        }
    }
}
