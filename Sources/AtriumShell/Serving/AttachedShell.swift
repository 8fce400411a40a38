internal import AtriumKit
internal import AtriumRuntime
package import AtriumStorage
package import AtriumText
internal import Glibc

/// A front end of a scene that runs in a process other than the host.
@MainActor
package protocol AttachedFrontEnd {
    /// Asks the host for a scene.
    ///
    /// - Throws: ``ShellError`` with the host's reason if it refuses.
    func begin() async throws -> AttachedShell.Beginning
    /// Runs until either side ends.
    func run() async throws -> ExitStatus
}

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

    init(_ session: RemoteSession, _ shell: Shell) {
        self.session = session
        self.shell = shell
        process = session.client.process
    }

    /// The host's response to a new front end.
    package enum Beginning {
        case begun
        /// It ends with its script, so a user can't usefully attach to it.
        case isScript
        /// It has ended in the meantime.
        case hasEnded
    }

    package func begin() async throws -> Beginning {
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
