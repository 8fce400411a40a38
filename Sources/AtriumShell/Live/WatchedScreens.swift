@_spi(Host) internal import AtriumKit
internal import AtriumNavigation

/// The screens whose changes are printed while other commands run.
@MainActor
final class WatchedScreens {
    private(set) var all: [WatchedScreen] = []
    private let display: Display
    private var version = 0
    private let announcements: Announcements

    init(display: Display, announcements: Announcements) {
        self.display = display
        self.announcements = announcements
    }

    /// Watches a screen from now on, and returns what it shows; `open` opens it, also after a change of modules.
    @discardableResult
    func watch(
        _ link: String, version: Int,
        opening open: @escaping @MainActor () async throws -> WatchedScreen.Opened
    ) async throws -> Content {
        stop(link)
        if all.isEmpty { self.version = version }
        let screen = WatchedScreen(link, open: open) { [weak self] in self?.report($0, $1) }
        let content = try await screen.begin()
        all.append(screen)
        return content
    }

    /// Stops watching a screen, and returns whether it was watched.
    @discardableResult
    func stop(_ link: String) -> Bool {
        guard let index = all.firstIndex(where: { $0.link == link }) else { return false }
        all.remove(at: index).end()
        return true
    }

    func stopAll() {
        for screen in all { screen.end() }
        all = []
    }

    /// Prints the changes so far; after a change of the modules, reopens all screens, so that they do not hold the
    /// former generation.
    func settle(version: Int) async {
        guard !all.isEmpty else { return }
        if version != self.version { await renew() }
        self.version = version
        for screen in all { await screen.settle() }
    }

    private func renew() async {
        for screen in all {
            do {
                try await screen.renew()
            } catch {
                stop(screen.link)
                let reason = UnexplainedError.explain(error).message
                announcements.announce("warning: '\(screen.link)' is no longer watched: \(reason)")
            }
        }
    }

    private func report(_ screen: WatchedScreen, _ changes: [ContentChange]) {
        guard display.form == .objects else {
            let line = LiveSession.line(changes)
            return announcements.announce("\(screen.link): \(line)")
        }
        let object: JSONObject = [
            "watch": .string(screen.link), "change": .integer(Int64(screen.changes)),
            "changes": .array(changes.map { .object($0.json) }),
        ]
        try? display.write(object.line)
    }
}

@MainActor
final class WatchedScreen {
    /// A screen on a stack of its own.
    struct Opened {
        let coordinator: Coordinator
        let view: any View
    }

    let link: String
    private(set) var changes = 0
    private var opened: Opened?
    private var observation: ScreenObservation<Content>?
    private var shown = Content()
    private let open: @MainActor () async throws -> Opened
    private let report: @MainActor (WatchedScreen, [ContentChange]) -> Void

    fileprivate init(
        _ link: String, open: @escaping @MainActor () async throws -> Opened,
        report: @escaping @MainActor (WatchedScreen, [ContentChange]) -> Void
    ) {
        self.link = link
        self.open = open
        self.report = report
    }

    fileprivate func begin() async throws -> Content {
        let opened = try await open()
        let settling = Settling(interval: .milliseconds(33))
        let view = opened.view
        let observation = ScreenObservation(settle: settling.settle) { view.body }
        self.opened = opened
        self.observation = observation
        shown = observation.start { [weak self] in self?.receive($0) }
        return shown
    }

    fileprivate func renew() async throws {
        let former = shown
        end()
        let present = try await begin()
        shown = former
        receive(present)
    }

    fileprivate func settle() async {
        await observation?.settleNow()
    }

    fileprivate func end() {
        observation?.stop()
        observation = nil
        opened = nil
    }

    private func receive(_ content: Content) {
        let differences = ContentComparison.changes(from: shown, to: content)
        shown = content
        guard !differences.isEmpty else { return }
        changes += 1
        report(self, differences)
    }
}
