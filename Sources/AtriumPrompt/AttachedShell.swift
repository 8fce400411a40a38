internal import AtriumKit
internal import AtriumLibraries
package import AtriumSession
package import AtriumStorage
package import AtriumText
internal import Glibc

/// The shell of a scene in another process.
@MainActor
package final class AttachedShell: AttachedFrontEnd {
    let session: RemoteSession
    private let shell: Shell
    /// The process id of the host.
    private let process: Int32

    package convenience init(
        to client: HostClient, in folder: DataFolder, options: Options, source: ScriptSource
    ) {
        var description = FrontEndDescription(options, source)
        description.scene = options.scene
        description.folder = WorkingFolder.path
        description.size = options.size ?? Terminal.size(of: HostOutput.standardOutput)
        description.isSizeFixed = options.size != nil
        description.errorColumns = Terminal.errorWidth?()
        description.acknowledges = true
        let session = RemoteSession(description, to: client, in: folder, options.wantedOfHost)
        self.init(session, Shell(session, options, source, historyFile: folder.path("history")))
    }

    package init(_ session: RemoteSession, _ shell: Shell) {
        self.session = session
        self.shell = shell
        process = session.client.process
    }

    package func begin() async throws -> AttachmentReply {
        let (client, isLate) = (session.client, Flag())
        let limit = Task {
            try await Task.sleep(for: .seconds(10))
            isLate.isSet = true
            client.close()
        }
        defer { limit.cancel() }
        do {
            try await session.hello()
            return .begun
        } catch let error as ShellError where error.code == "hostIsScript" {
            return .isScript
        } catch let error as ShellError where error.code == .hostGone {
            guard isLate.isSet else { return .hasEnded }
            throw ShellError(
                "hostBusy", "The host that runs (process \(process)) does not answer.",
                hint: "Wait for what it does, or end it: kill -KILL \(process)")
        }
    }

    @MainActor
    private final class Flag { var isSet = false }

    package func run() async throws -> ExitStatus { await shell.run() }
}
