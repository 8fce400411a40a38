import AtriumCommands
@_spi(Host) import AtriumKit
internal import AtriumModules
import AtriumPrompt
import AtriumServing
import AtriumSession
internal import AtriumText

/// A restart of the host, as `exit --restart` asks for it.
///
/// The host ends as it does after SIGTERM, and is executed again with its arguments: so it keeps what any next
/// start finds, and its process number unless a supervisor starts it.
@MainActor
final class HostRestart {
    /// True if the process is executed again at its end.
    private(set) static var isWanted = false

    private let server: SceneServer
    /// Ends the host in order.
    private let end: @MainActor () -> Void

    init(_ server: SceneServer, end: @escaping @MainActor () -> Void) {
        (self.server, self.end) = (server, end)
    }

    /// Ends the host once the command of `scene` has been answered; the host's own scene ends by itself.
    func begin(for scene: Scene) {
        Self.isWanted = true
        server.startsAgain = true
        guard let client = scene.client else { return }
        Task {
            // A script reads its answer and leaves.
            if !client.isPerson { await server.departure(of: scene, within: .seconds(2)) }
            end()
        }
    }
}

extension HostFrontEnd {
    /// Sentences about what a restart with the same options loses.
    var lossesByRestart: [String] {
        var losses: [String] = []
        if options.isSandbox {
            losses.append("The sandbox is removed, and the next one is another copy of the data.")
        } else if host.setup.environment == .mock {
            losses.append("The mocks of the modules return to their first state.")
        }
        if options.httpRecording != nil, !options.continuesRecording {
            losses.append("The recording of requests begins anew.")
        }
        return losses
    }
}
