internal import AtriumKit
internal import AtriumLanguage
internal import AtriumLibraries
internal import AtriumStorage
package import AtriumText
internal import Dispatch
internal import Glibc

package enum ScriptSource: Sendable {
    case text([UInt8])
    case standardInput
    case person

    var isPerson: Bool { if case .person = self { true } else { false } }
    /// True if an action may read standard input.
    var leavesInput: Bool { if case .text = self { true } else { false } }
}

extension Options {
    /// Checks that relative paths can be resolved.
    ///
    /// - Throws: ``ShellError`` with code `folderGone` if the working folder was deleted.
    package func checkFolder() throws(ShellError) {
        let paths: [String]
        switch mode {
        case .backup(let path), .restore(let path), .indexRepository(let path), .record(let path),
            .file(let path), .play(let path):
            paths = [path]
        case .new: paths = [parentFolder ?? "."]
        case .test(let files), .develop(let files): paths = files
        default: return
        }
        guard paths.contains(where: { !$0.hasPrefix("/") && $0 != "-" }), WorkingFolder.isGone else { return }
        throw ShellError(
            "folderGone", "The folder in which this command was started has been deleted.",
            hint: "Change to another folder, or use absolute paths.", category: .usage)
    }

    package func source() throws -> ScriptSource {
        switch mode {
        case .script(let text): return .text(Array(text.utf8))
        case .verify: return .text(Array("verify".utf8))
        case .stories:
            return .text(Array("stories --html > \(Quoting.quote(htmlFile ?? "stories.html"))".utf8))
        case .file("-"): return .standardInput
        case .file(let path): return .text(try FileContents.read(path, allowsPipes: true))
        default: return isInteractive ? .person : .standardInput
        }
    }
}

/// Reads lines on a separate thread, so that the main actor stays free, and only as fast as they are run: one
/// piece is read ahead of the running one.
struct InputReader {
    /// The lines, in the pieces in which they arrive; call ``didRun()`` after each piece.
    let pieces: AsyncStream<[InputLine]>
    private let room: DispatchSemaphore

    init(descriptor: CInt = STDIN_FILENO) {
        // Signalled afterwards: a semaphore must not be freed with less than its initial value.
        let room = DispatchSemaphore(value: 0)
        room.signal()
        self.room = room
        pieces = AsyncStream { stream in
            DispatchQueue(label: "atrium.standard-input").async {
                var splitter = LineSplitter()
                var joiner = LineJoiner()
                do throws(ShellError) {
                    while let bytes = try StandardInput.bytes(of: descriptor) {
                        let lines = joiner.add(splitter.add(bytes))
                        guard !lines.isEmpty else { continue }
                        stream.yield(lines)
                        room.wait()
                    }
                    stream.yield(joiner.add(splitter.finish()) + joiner.finish())
                } catch {
                    stream.yield(joiner.add(splitter.finish()) + joiner.finish() + [.failure(error)])
                }
                stream.finish()
            }
        }
    }

    func didRun() { room.signal() }

}

extension ShellError {
    package static let badArgument = ShellError(
        "badInput", "An argument of the command line is not text in UTF-8.",
        hint: "Set the terminal to UTF-8.")
}
