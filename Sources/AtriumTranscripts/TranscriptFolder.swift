internal import AtriumKit
internal import AtriumLibraries
internal import AtriumPrompt
internal import AtriumSession
internal import AtriumStorage
internal import AtriumText
internal import Glibc

/// The folder in which a transcript is played, with names for the paths that differ between machines.
///
/// While it exists, it is the current folder and `$HOME` of this process and of all programs that it starts.
@MainActor
final class TranscriptFolder {
    let path: String
    /// The shell that removes the folder if this process is killed; nil if it could not be started.
    private let cleanUp: CleanUp?
    /// The paths that become names in output, the longest first.
    private let names: [(path: String, name: String)]

    /// Creates a folder and enters it.
    ///
    /// - Parameter definitions: Paths that the transcript names, such as `ROOT` for the folder of a project.
    /// - Throws: An error if it can't be created.
    init(_ definitions: [PathDefinition]) throws {
        path = try Folder.makeTemporary("atrium-transcript")
        cleanUp = try? CleanUp(removing: path)
        let all = definitions + [PathDefinition(name: "HOME", path: path)]
        names = all.flatMap { definition in
            Set([definition.path, HostIdentity.realPath(definition.path)]).map {
                (path: $0, name: "$" + definition.name)
            }
        }.sorted { ($0.path.utf8.count, $0.name) > ($1.path.utf8.count, $1.name) }
        guard chdir(path) == 0 else {
            let error = SystemError.current
            cleanUp?.end()
            FileSystem.remove(path)
            throw ShellError(
                "scratchFolder", "The folder '\(path)' can't be entered: \(error.reason).",
                hint: "Set TMPDIR to a folder that can be used.")
        }
        let variables = [
            ("HOME", path), ("DATA", data), ("ATRIUM", HostExecutable.path), ("NO_COLOR", ""),
            ("XDG_STATE_HOME", ""), ("LC_ALL", "C.UTF-8"),
        ]
        for (name, value) in variables + definitions.map({ ($0.name, $0.path) }) { setenv(name, value, 1) }
    }

    /// The data folder of the host.
    var data: String { "\(path)/data" }

    func remove() {
        cleanUp?.end()
        _ = chdir("/")
        FileSystem.remove(path)
    }

    /// A text with names in place of paths.
    func naming(_ text: String) -> String {
        names.reduce(text) { Self.replacing($1.path, with: $1.name, in: $0) }
    }

    /// Replaces a path, which a table may have wrapped at a space.
    static func replacing(_ path: String, with name: String, in text: String) -> String {
        let (path, bytes) = (Array(path.utf8), Array(text.utf8))
        guard let first = path.first, bytes.count >= path.count else { return text }
        var replaced: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position] == first, let end = end(of: path, in: bytes, from: position) {
                replaced += name.utf8
                position = end
            } else {
                replaced.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: replaced, as: UTF8.self)
    }

    private static func end(of path: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        let (space, newLine) = (UInt8(ascii: " "), UInt8(ascii: "\n"))
        var position = start
        for byte in path {
            guard position < bytes.count else { return nil }
            if byte == space, bytes[position] == newLine {
                let next = bytes[(position + 1)...].prefix { $0 == space }.endIndex
                guard next > position + 1 else { return nil }
                position = next
            } else {
                guard bytes[position] == byte else { return nil }
                position += 1
            }
        }
        return position
    }
}
