@_spi(Host) package import AtriumKit
package import AtriumNavigation
internal import AtriumText

@MainActor
package final class WatchedScreens {
    /// Opens a screen on a separate stack; called again after a change of the modules.
    package typealias Opening = @MainActor () async throws -> (stack: Coordinator, view: any View)

    @MainActor
    package struct Screen {
        let link: String
        fileprivate let open: Opening
        fileprivate let observation = ScreenObservation()

        var changes: Int { observation.changes }

        fileprivate func drawing() async throws -> ScreenObservation.Drawing {
            let (stack, view) = try await open()
            // The stack holds what the screen shows.
            return { withExtendedLifetime(stack) { view.body.bounded } }
        }
    }

    private(set) var all: [Screen] = []
    /// Called instead of printing when a screen changes or can't be opened; the screen stays watched.
    package var didChange: ((_ link: String) -> Void)?
    private let display: Display
    private let announce: (String) -> Void
    private var version = 0

    init(display: Display, announce: @escaping (String) -> Void) {
        self.display = display
        self.announce = announce
    }

    package func watch(_ link: String, version: Int, opening open: @escaping Opening) async throws {
        stop(link)
        if all.isEmpty { self.version = version }
        let screen = Screen(link: link, open: open)
        _ = screen.observation.start(drawing: try await screen.drawing()) {
            [weak self, weak observation = screen.observation] _, differences in
            if !differences.isEmpty { self?.report(link, observation?.changes ?? 0, differences) }
        }
        all.append(screen)
    }

    @discardableResult
    package func stop(_ link: String) -> Bool {
        guard let index = all.firstIndex(where: { $0.link == link }) else { return false }
        all.remove(at: index).observation.stop()
        return true
    }

    func stopAll() {
        for screen in all { screen.observation.stop() }
        all = []
    }

    /// Prints the changes so far; after a change of the modules, reopens all screens, so that they do not
    /// hold the former generation.
    package func settle(version: Int) async {
        guard !all.isEmpty else { return }
        if version != self.version { await reopen() }
        self.version = version
        for screen in all { await screen.observation.settleNow() }
    }

    private func reopen() async {
        for screen in all {
            screen.observation.stop()
            do {
                screen.observation.resume(drawing: try await screen.drawing())
            } catch {
                if let didChange {
                    // Try again after the next change of the modules.
                    if screen.observation.forget() { didChange(screen.link) }
                    continue
                }
                stop(screen.link)
                let reason = ShellError.explain(error).message
                announce("warning: '\(screen.link)' is no longer watched: \(reason)")
            }
        }
    }

    private func report(_ link: String, _ number: Int, _ differences: [ContentChange]) {
        if let didChange { return didChange(link) }
        guard display.form == .objects else { return announce("\(link): \(LiveSession.line(differences))") }
        try? display.write(LiveSession.json("watch", link, number, differences).line)
    }
}
