internal import AtriumLanguage
package import AtriumPrompt
internal import AtriumSession
internal import AtriumStorage
package import AtriumText
internal import Glibc

/// `atrium record`: a prompt on a new host in a scratch folder, recorded as a transcript.
@MainActor
package enum TranscriptRecording {
    /// - Throws: An error with exit code 2 if the file exists and may not be replaced.
    package static func run(_ file: String, _ options: Options) async throws -> ExitStatus {
        let settings = try TranscriptPlayer.Settings(options)
        let source = options.recordsPerson ? ScriptSource.person : .standardInput
        let path = TranscriptFiles.absolute(file)
        let folder = try TranscriptFolder(options.definitions)
        defer { folder.remove() }
        let recorder = try TranscriptRecorder(path, shown: file, replaces: options.replaces, in: folder)
        let host: TranscriptHost
        do {
            host = try await TranscriptHost(on: folder.data, settings.hostArguments, limit: settings.limit)
        } catch {
            recorder.abandon()
            throw error
        }
        let status: ExitStatus
        do {
            status = try await TranscriptSignals.cancelling(ignoresInterrupts: true) {
                try await record(source, in: folder, options, recorder)
            }
        } catch {
            await host.end()
            recorder.abandon()
            throw error
        }
        await host.end()
        try recorder.close()
        let count = recorder.count == 1 ? "1 line is" : "\(recorder.count) lines are"
        Report.note("\(count) in \(file). Play it: \(command(file, options))")
        if recorder.hasSecrets {
            Report.note(
                "Secrets are not in it: '<secret-1>' is made up when it is played, or ATRIUM_SECRET_1 if that is "
                    + "set.")
        }
        return status
    }

    private static func record(
        _ source: ScriptSource, in folder: TranscriptFolder, _ options: Options,
        _ recorder: TranscriptRecorder
    ) async throws -> ExitStatus {
        let data = try DataFolder(explicit: folder.data)
        guard let client = try HostClient(to: data) else { throw ShellError.noHost(data.path) }
        let session = RemoteSession(.recorded(TranscriptRecorder.scene), to: client, in: data)
        let recorded = RecordedSession(session, recorder)
        var options = options
        // Errors are part of the recording.
        options.keepsGoing = true
        let shell = Shell(recorded, options, source, historyFile: data.path("history"))
        let attached = AttachedShell(session, shell)
        guard try await attached.begin() == .begun else { throw ShellError.noHost(data.path) }
        recorder.begin(in: session.environment)
        return try await withTaskCancellationHandler {
            try await attached.run()
        } onCancel: {
            // The prompt would end on its own, but only after the running command.
            session.cancel()
            session.abandon()
        }
    }

    private static func command(_ file: String, _ options: Options) -> String {
        let configuration = options.configurationFile.map { " --config \(Quoting.quote($0))" } ?? ""
        return "atrium test\(configuration) \(Quoting.quote(file))"
    }
}
