import Glibc

/// A temporary folder that is deleted with this object.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        var template = Array("/tmp/atrium-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { preconditionFailure("/tmp can't be written.") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.remove(path)
    }

    /// The path of an item in the folder.
    package func path(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// Writes a file, replacing an existing one.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) -> String {
        let bytes = Array(bytes)
        let descriptor = open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        precondition(descriptor >= 0 && Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        return path(name)
    }

    /// The sorted names of the items in this folder or a subfolder.
    package func names(in folder: String = ".") -> [String] {
        Self.names(in: path(folder))
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }
}

/// The bytes of a file; empty if it can't be opened.
package func contents(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        guard count > 0 else { return bytes }
        bytes += chunk[..<count]
    }
}
