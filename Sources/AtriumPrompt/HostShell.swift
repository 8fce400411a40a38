package import AtriumCommands
internal import AtriumCrash
package import AtriumKit
internal import AtriumModules
internal import AtriumNavigation
package import AtriumServing
internal import AtriumSession
package import AtriumText
internal import Dispatch
internal import Glibc

/// The shell of a host's own scene, which can develop packages, and let other processes attach.
@MainActor
package final class HostShell {
    private let scene: Scene
    private let session: LocalSession
    private let shell: Shell
    private let isPerson: Bool
    private let drainLimit: Duration
    /// The packages that are rebuilt whenever their sources change.
    private var developments: [Development] = []
    /// SIGTERM and SIGHUP, while the host serves clients.
    private var endSignals: [SignalSource] = []

    package init(scene: Scene, options: Options, source: ScriptSource, historyFile: String) {
        self.scene = scene
        isPerson = source.isPerson
        drainLimit = options.drainLimit
        session = LocalSession(
            scene, FrontEndDescription(options, source), writingTo: LineRunner.Streams(),
            viewport: ViewportFeed(scene.viewport, option: options.size), keepsScene: true)
        shell = Shell(session, options, source, historyFile: historyFile)
    }

    package func warn(_ errors: [any ExplainedError]) { session.runner.warn(errors) }

    package func run() async -> ExitStatus {
        // Drop questions left by a previous process.
        scene.coordinator.leaveQuestions()
        if !isPerson {
            StartJournal.ready()
            session.runner.viewport.followResizes()
        }
        return await shell.run()
    }

    // MARK: - Development

    /// Builds a package, and watches its sources from now on; opens the first screen of the first package.
    ///
    /// - Throws: `ModuleError` if the folder is not a package, there is no toolchain, or no watch is left.
    package func develop(_ folder: String) async throws {
        // A failed build, or Ctrl-C during one, is not a failed start.
        StartJournal.ready()
        let development = try Development(folder, scene.host.changes) { [weak scene] in scene?.announce($0) }
        development.didRebuild = { [weak self] links in await self?.showRebuilt(links) }
        if developments.isEmpty {
            development.didLoad = { [weak self] links in await self?.showFirst(of: links) }
        }
        developments.append(development)
        try await development.start()
    }

    /// Opens and prints the first of these screens, unless one of them is current.
    private func showFirst(of links: [String]) async {
        guard let first = links.first, let link = try? Link(first), !isShowing(links) else { return }
        do {
            _ = try await scene.coordinator.open(link)
            await showRebuilt([first])
        } catch {
            warn([ShellError.explain(error)])
        }
    }

    private func isShowing(_ links: [String]) -> Bool {
        guard let current = scene.coordinator.currentEntry?.link else { return false }
        return links.contains { current == $0 || current.hasPrefix("\($0)/") || current.hasPrefix("\($0)?") }
    }

    /// Prints the current screen if it is one of these.
    private func showRebuilt(_ links: [String]) async {
        guard let link = scene.coordinator.currentEntry?.link, links.contains(link), scene.display.isFree,
            let output = try? await session.runner.interpreter.show(scene.coordinator)
        else { return }
        scene.showOutput(output)
    }

    // MARK: - Serving

    /// Lets other processes attach from now on.
    package func serve(_ server: SceneServer) {
        if isPerson { server.log = { [weak scene] in scene?.announce($0) } }
        do throws(ShellError) {
            try server.start()
        } catch {
            // Scripts end soon, so don't warn.
            if isPerson { warn([error]) }
            return
        }
        endSignals = [SIGTERM, SIGHUP].compactMap { signal in
            SignalSource(signal: signal, queue: .global()) { [weak self, limit = drainLimit + .seconds(5)] in
                EndSignal.take(signal, within: limit) { self?.end(server) }
            }
        }
    }

    /// Starts no further command, and waits for running ones to end.
    package func end(_ server: SceneServer) {
        // A second signal ends the process at once.
        endSignals = []
        session.stop()
        server.stopRunning()
        shell.leave()
        let end = ContinuousClock.now + drainLimit
        Task { [jobs = scene.display.jobs] in
            while jobs.foreground != nil, .now < end { try? await Task.sleep(for: .milliseconds(5)) }
            shell.cancel()
        }
    }
}
