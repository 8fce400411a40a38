/// Builds everything that is registered once, in environment mock and aside: nothing of it is kept, and
/// neither the session nor any module's database is touched.
@MainActor
struct Verifier {
    private let container: Container
    private let screens: [ScreenRegistration]
    private var findings: [VerificationReport.Finding] = []
    private var positions: [String: Int] = [:]
    private var notes: [String] = []
    /// What was given up because it took too long.
    private var overdue: Set<RegistrationKey> = []
    /// How long a factory that is awaited may take.
    private static let timeLimit = Duration.seconds(10)

    init(aside container: Container, screens: [ScreenRegistration]) {
        self.container = container
        self.screens = screens
    }

    /// Screens first, so that the path to what is wrong begins where a person would meet it.
    mutating func run() async throws -> VerificationReport {
        try await buildAwaited()
        for screen in screens {
            try Task.checkCancellation()
            verify(screen)
        }
        for registration in container.registrations where !wasBuilt(registration.key) {
            try Task.checkCancellation()
            try await verify(registration.key)
        }
        noteAbsentProviders()
        let graph = container.graph
        return VerificationReport(
            findings: findings, notes: notes, checked: graph.nodes.filter { $0.builds > 0 }.count,
            graph: graph)
    }

    /// Builds what has to be awaited and is shared, as modules do when they are activated; what fails is
    /// reported in its turn.
    private mutating func buildAwaited() async throws {
        for registration in container.registrations
        where registration.isAsynchronous && registration.lifetime == .shared {
            guard let slot = container.find(registration.key) else { continue }
            do {
                try await awaitBuild(of: slot, registration)
            } catch let error as TimeLimitError {
                // Not a second time: it took long enough.
                report(error, screen: nil)
                overdue.insert(registration.key)
            } catch {
                try Task.checkCancellation()
            }
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

    private func awaitBuild(of slot: Slot, _ registration: Registration) async throws {
        let container = container
        try await withTimeLimit(Self.timeLimit, of: "The factory of \(registration.key.name)") {
            try await registration.build(slot, for: Request(container: container, scope: nil))
        }
    }

    private mutating func verify(_ key: RegistrationKey) async throws {
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
            try Task.checkCancellation()
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

extension Container {
    /// Builds the screens aside, in environment mock, and shows each view to `body`; what can't be built is
    /// left out.
    public func withViewsInSandbox(
        _ screens: [ScreenRegistration],
        infrastructure: @escaping @MainActor (ModuleScope) -> ModuleScope.Infrastructure,
        _ body: (any View) -> Void
    ) {
        let aside = Container(
            aside: self, environment: .mock, session: .isolated(), infrastructure: infrastructure)
        defer { aside.close() }
        for screen in screens {
            guard let destination = screen.sample(),
                let built = try? screen.build(destination, in: aside, navigator: StationaryNavigator())
            else { continue }
            body(built.view)
        }
    }

    /// Builds the whole graph once, in environment mock and aside, and reports everything that is wrong.
    ///
    /// What a factory does besides building is done: it should do nothing else. Of several things that one
    /// factory lacks, only the first is found.
    ///
    /// - Parameters:
    ///   - screens: The screens to begin with.
    ///   - infrastructure: What modules get instead of their own, so that nothing of theirs is touched.
    /// - Returns: What is wrong, what was left out, and the graph with all its edges.
    /// - Throws: `CancellationError` only.
    public func verify(
        screens: [ScreenRegistration],
        infrastructure: @escaping @MainActor (ModuleScope) -> ModuleScope.Infrastructure
    ) async throws -> VerificationReport {
        let aside = Container(
            aside: self, environment: .mock, session: .isolated(), infrastructure: infrastructure)
        defer { aside.close() }
        var verifier = Verifier(aside: aside, screens: screens)
        return try await verifier.run()
    }
}
