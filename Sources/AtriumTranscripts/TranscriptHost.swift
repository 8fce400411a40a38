internal import AtriumKit
internal import AtriumLibraries
internal import AtriumSession
internal import AtriumStorage
internal import AtriumText

/// The host of a transcript: `atrium serve` on the scratch folder, with the transcript's scenes.
@MainActor
final class TranscriptHost {
    private let folder: DataFolder
    private let process: BatchProcess
    private var scenes: [String: PlayedScene] = [:]

    /// The time limit for a host to end, and the least time allowed for its start.
    private static let patience = Duration.seconds(10)

    /// Starts a host, and waits until it is ready.
    ///
    /// - Throws: ``ShellError`` with its output if it ends, or exceeds the time limit.
    init(on path: String, _ arguments: [String], limit: Duration) async throws {
        folder = try DataFolder(explicit: path)
        process = try BatchProcess([HostExecutable.path, "serve", "--data", path] + arguments)
        let end = ContinuousClock.now + max(limit, Self.patience)
        do {
            while true {
                if let client = try HostClient(to: folder) {
                    client.close()
                    return
                }
                guard process.status == nil else { throw ShellError.hostNotStarted(process) }
                guard .now < end else { throw ShellError.hostNotStarted(nil) }
                try await Task.sleep(for: .milliseconds(5))
            }
        } catch {
            await process.end()
            throw error
        }
    }

    var isRunning: Bool { process.status == nil }

    /// The scene of a name, opened on first use, and again after it was left.
    func scene(_ name: String, _ size: TerminalSize?, isColored: Bool) async throws -> PlayedScene {
        if let scene = scenes[name], !scene.hasEnded { return scene }
        guard let client = try HostClient(to: folder) else { throw ShellError.hostGone(nil) }
        let scene = try await PlayedScene(.recorded(name, size, isColored: isColored), client, in: folder)
        scenes[name] = scene
        return scene
    }

    /// Ends the host and the programs that it started.
    func end() async {
        for scene in scenes.values { scene.close() }
        scenes = [:]
        await process.end(grace: Self.patience)
    }
}

extension ShellError {
    fileprivate static func hostNotStarted(_ process: BatchProcess?) -> ShellError {
        guard let process else {
            return ShellError("hostNotStarted", "The host did not start in time.", hint: nil)
        }
        let said = String(decoding: process.output, as: UTF8.self)
            .split(separator: "\n").map(String.init).joined(separator: "\n")
        return ShellError(
            "hostNotStarted", "The host did not start: it ended with status \(process.status ?? 0).\n\(said)",
            hint: nil)
    }
}
