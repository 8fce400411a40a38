@_spi(Host) package import AtriumKit
internal import AtriumText

/// The paths of a command as they were typed, for messages: an attached front end has a folder of its own.
@MainActor
package final class TypedPaths {
    private let scene: Scene
    private var typed: [(path: String, typed: String)] = []

    package init(_ scene: Scene) { self.scene = scene }

    /// The path for this process; descriptors are those of the front end's process.
    func resolve(_ text: String) throws(ArgumentError) -> String {
        var path = try scene.path(text)
        if let process = scene.client?.process { path = Self.path(path, of: process) }
        return note(path, text)
    }

    /// The path for the front end's process.
    package func resolveForFrontEnd(_ text: String) throws(ArgumentError) -> String {
        note(try scene.path(text), text)
    }

    /// The streams that files stand for, whose names have no quotes.
    func note(_ files: StandardFiles) {
        for (path, name) in [(files.inputPath, "standard input"), (files.outputPath, "standard output")] {
            typed += [("'\(path)'", name), (path, name)]
        }
    }

    private func note(_ path: String, _ text: String) -> String {
        if path != text { typed.append((path, text)) }
        return path
    }

    private static func path(_ path: String, of process: Int32) -> String {
        let streams = ["/dev/stdin": "0", "/dev/stdout": "1", "/dev/stderr": "2"]
        if let number = streams[path] { return "/proc/\(process)/fd/\(number)" }
        for (own, others) in [("/dev/fd/", "fd/"), ("/proc/self/", "")] where path.hasPrefix(own) {
            return "/proc/\(process)/\(others)\(path.dropFirst(own.count))"
        }
        return path
    }

    func named(_ text: String) -> String {
        typed.reduce(text) { $0.replacing($1.path, with: $1.typed) }
    }

    package func named(_ error: any Error) -> any Error {
        guard !typed.isEmpty, let explained = error as? any ExplainedError else { return error }
        return explained.reworded(named, hint: named)
    }
}
