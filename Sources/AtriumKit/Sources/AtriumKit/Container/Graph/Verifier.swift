/// Builds everything that is registered once, in environment mock and aside: nothing of it is kept, and
/// neither the session nor any module's database is touched.
@MainActor
struct Verifier {
    private let container: Container
    private let screens: [ScreenRegistration]
    private var findings: [VerificationReport.Finding] = []
    private var positions: [String: Int] = [:]
    private var notes: [String] = []
    private var checked: Set<RegistrationKey> = []

    init(aside container: Container, screens: [ScreenRegistration]) {
        self.container = container
        self.screens = screens
    }

    /// Screens first, so that the path to what is wrong begins where a person would meet it.
    mutating func run() async -> VerificationReport {
        await buildAwaited()
        for screen in screens { verify(screen) }
        for registration in container.registrations where !wasBuilt(registration.key) {
            await verify(registration.key)
        }
        noteAbsentProviders()
        let graph = container.graph
        return VerificationReport(
            findings: findings, notes: notes, checked: graph.nodes.filter { $0.builds > 0 }.count,
            graph: graph)
    }

    /// Builds what has to be awaited and is shared, as modules do when they are activated; what fails is
    /// reported in its turn.
    private func buildAwaited() async {
        for registration in container.registrations
        where registration.isAsynchronous && registration.lifetime == .shared {
            guard let slot = container.find(registration.key) else { continue }
            try? await registration.build(slot, for: Request(container: container, scope: nil))
        }
    }

    private mutating func verify(_ screen: ScreenRegistration) {
        let name = screen.pattern.description
        guard let destination = screen.sample() else {
            notes.append(
                "The screen '\(name)' was not built: no destination could be made up for it. "
                    + "Give its destination a 'sample'.")
            return
        }
        do {
            _ = try screen.build(destination, in: container, navigator: StationaryNavigator())
        } catch {
            report(error, screen: name)
        }
    }

    private func wasBuilt(_ key: RegistrationKey) -> Bool {
        container.table.slot(key)?.hasSucceeded ?? false
    }

    private mutating func verify(_ key: RegistrationKey) async {
        guard let slot = container.find(key), let registration = slot.registration,
            slot.key.layer != .screen
        else { return }
        guard registration.argumentTypes.isEmpty else {
            notes.append(
                "\(slot.key.name) was not built: it takes arguments, and no screen that was built asks for it."
            )
            return
        }
        let entry = EntryScope(navigator: StationaryNavigator())
        do {
            if registration.isAsynchronous {
                try await registration.build(
                    slot, for: Request(container: container, scope: nil))
            } else {
                try container.inEntry(entry) {
                    try registration.buildNow(slot, for: Request(container: container, scope: nil))
                }
            }
        } catch {
            report(error, screen: nil)
        }
    }

    /// Notes an error once, however many ways lead to it.
    private mutating func report(_ error: any Error, screen: String?) {
        let resolution = error as? ResolutionError
        let path = resolution?.path ?? []
        let explained: any ExplainedError =
            error as? any ExplainedError ?? ResolutionError.unexplained(error)
        let identity = "\(explained.code) \(resolution?.rootCause ?? explained.message)"
        if let position = positions[identity] {
            if let screen { findings[position].screens.append(screen) }
            return
        }
        positions[identity] = findings.count
        findings.append(
            VerificationReport.Finding(error: explained, path: path, screens: screen.map { [$0] } ?? []))
    }

    private mutating func noteAbsentProviders() {
        for slot in container.registrations.compactMap({ container.table.slot($0.key) }) {
            for edge in slot.edges where edge.kind == .deferred {
                guard container.find(edge.target.key) == nil else { continue }
                notes.append(
                    "\(slot.key.name) takes a provider of \(edge.target.key.name), which no active module "
                        + "registers as \(edge.target.key.layer.phrase).")
            }
        }
    }
}

/// Goes nowhere: what is built to be verified is not shown.
private final class StationaryNavigator: Navigator {
    func push(_ destination: any Destination) async throws {}
    func open(_ link: String) async throws {}
    func back() async throws {}
    func root() async throws {}
}

extension Container {
    /// Builds the whole graph once, in environment mock and aside, and reports everything that is wrong.
    ///
    /// What a factory does besides building is done: it should do nothing else. Of several things that one
    /// factory lacks, only the first is found.
    ///
    /// - Parameters:
    ///   - screens: The screens to begin with.
    ///   - infrastructure: What modules get instead of their own, so that nothing of theirs is touched.
    /// - Returns: What is wrong, what was left out, and the graph with all its edges.
    public func verify(
        screens: [ScreenRegistration],
        infrastructure: @escaping @MainActor (ModuleScope) -> ModuleScope.Infrastructure
    ) async -> VerificationReport {
        let aside = Container(
            aside: self, environment: .mock, session: .isolated(), infrastructure: infrastructure)
        defer { aside.close() }
        var verifier = Verifier(aside: aside, screens: screens)
        return await verifier.run()
    }
}
