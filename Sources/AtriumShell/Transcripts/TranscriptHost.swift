internal import AtriumKit
internal import AtriumRuntime
internal import AtriumStorage
internal import AtriumText

/// The host of a transcript: `atrium serve` on the scratch folder, with the scenes in which it types.
@MainActor
final class TranscriptHost {
    private let folder: DataFolder
    private let process: BatchProcess
    private var scenes: [String: PlayedScene] = [:]

    /// How long a host may take to start beyond the time that a line may take, and to end.
    private static let patience = Duration.seconds(10)

    /// Starts a host, and waits until it can be used.
    ///
    /// - Throws: ``ShellError`` with what it printed if it ends, or takes longer than a line may.
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

    /// A scene of a name, which is opened when it is first asked for, and again after it was left.
    func scene(_ name: String) async throws -> PlayedScene {
        if let scene = scenes[name], !scene.hasEnded { return scene }
        guard let client = try HostClient(to: folder) else { throw ShellError.hostGone(nil) }
        let scene = PlayedScene(name, client)
        try await scene.open()
        scenes[name] = scene
        return scene
    }

    /// Ends the host and what it started.
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
