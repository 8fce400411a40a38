/// The result of building a whole container.
@_spi(Host) public struct VerificationReport: Sendable {
    /// The failures, each once, with the screens that it breaks.
    public let findings: [Finding]
    /// Sentences about registrations that were not built, and about missing providers.
    public let notes: [String]
    /// The number of registrations that were built.
    public let checked: Int
    /// The registrations and the dependencies found while everything was built.
    public let graph: DependencyGraph

    /// A failure to build something.
    public struct Finding: Sendable {
        public let error: any ExplainedError
        /// The module of a screen that is itself at fault; nil if the path leads to the fault.
        public var module: String?
        /// The path from the screen down, if a screen needs it.
        public let path: [String]
        /// The patterns of the screens that fail because of it.
        public internal(set) var screens: [String]
    }
}

/// Builds everything that is registered, in a sandbox in environment mock: keeps nothing, and touches neither
/// the session nor any module's database.
@MainActor
private struct Verifier {
    private let container: Container
    private let screens: [ScreenRegistration]
    private var findings: [VerificationReport.Finding] = []
    private var indexes: [String: Int] = [:]
    private var notes: [String] = []

    init(_ sandbox: Container, screens: [ScreenRegistration]) {
        container = sandbox
        self.screens = screens
    }

    /// Builds screens first, so that the path to a finding begins where a user would meet it.
    mutating func run() throws -> VerificationReport {
        for screen in screens {
            try Task.checkCancellation()
            verify(screen)
        }
        for registration in container.registrations where !wasBuilt(registration.key) {
            try Task.checkCancellation()
            verify(registration.key)
        }
        for scope in container.scopes {
            for error in scope.refusals { report(error, screen: nil, of: scope.name) }
        }
        for (module, error) in container.mismatchedContributions { report(error, screen: nil, of: module) }
        noteMissingProviders()
        let graph = container.graph
        return VerificationReport(
            findings: findings, notes: notes, checked: graph.nodes.filter { $0.builds > 0 }.count,
            graph: graph)
    }

    private mutating func verify(_ screen: ScreenRegistration) {
        let name = screen.pattern.description
        guard let destination = screen.sample() else {
            notes.append(
                "The screen '\(name)' was not built: no sample destination could be created for it. "
                    + "Give its destination a 'sample'.")
            return
        }
        do {
            let built = try screen.build(destination, in: container, navigator: StationaryNavigator())
            if let problem = ActionNames.problem(of: built.view.actions) {
                findings.append(
                    VerificationReport.Finding(
                        error: RegistrationError.badAction(name, module: screen.module, problem),
                        module: screen.module, path: [], screens: []))
            }
        } catch {
            report(error, screen: name)
        }
    }

    private func wasBuilt(_ key: RegistrationKey) -> Bool {
        container.table.slot(key)?.hasSucceeded ?? false
    }

    private mutating func verify(_ key: RegistrationKey) {
        guard let slot = container.find(key), let registration = slot.registration,
            slot.key.layer != .screen
        else { return }
        guard registration.argumentTypes.isEmpty else {
            notes.append(
                "\(slot.key.name) was not built: it takes arguments, and no screen that was built resolves it."
            )
            return
        }
        do {
            let container = container
            _ = try container.inEntry(of: StationaryNavigator()) {
                try registration.build(slot, for: Request(container: container, scope: nil))
            }
        } catch {
            report(error, screen: nil)
        }
    }

    private mutating func report(_ error: any Error, screen: String?, of module: String? = nil) {
        let resolution = error as? ResolutionError
        let path = resolution?.path ?? []
        let explained: any ExplainedError =
            error as? any ExplainedError ?? ResolutionError.unexplained(error)
        let identity = "\(explained.code) \(resolution?.rootCause ?? explained.message)"
        if let index = indexes[identity] {
            if let screen { findings[index].screens.append(screen) }
            return
        }
        indexes[identity] = findings.count
        findings.append(
            VerificationReport.Finding(
                error: explained, module: module, path: path, screens: screen.map { [$0] } ?? []))
    }

    private mutating func noteMissingProviders() {
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
    /// The modules with registrations.
    fileprivate var scopes: [ModuleScope] {
        Dictionary(registrations.map { ($0.owner.name, $0.owner) }) { first, _ in first }.values
            .sorted { $0.name < $1.name }
    }

    /// Builds the whole graph once, in a sandbox in environment mock, and reports every failure; of several
    /// in one factory, the first; throws `CancellationError` only.
    public func verify(
        screens: [ScreenRegistration],
        infrastructure: @escaping @MainActor (ModuleScope) -> ModuleScope.Infrastructure
    ) throws -> VerificationReport {
        try withSandbox(infrastructure) { sandbox in
            var verifier = Verifier(sandbox, screens: screens)
            return try verifier.run()
        }
    }

    /// Builds the screens in a sandbox in environment mock, and passes each view to `body`; skips those that
    /// can't be built.
    public func withViewsInSandbox(
        _ screens: [ScreenRegistration],
        infrastructure: @escaping @MainActor (ModuleScope) -> ModuleScope.Infrastructure,
        _ body: (any View) -> Void
    ) {
        withSandbox(infrastructure) { sandbox in
            for screen in screens {
                guard let destination = screen.sample(),
                    let built = try? screen.build(destination, in: sandbox, navigator: StationaryNavigator())
                else { continue }
                body(built.view)
            }
        }
    }

    /// Returns a container with everything registered here, in environment mock; it shares nothing, and the
    /// caller must close it.
    public func sandbox(
        session: SessionManager,
        infrastructure: @escaping @MainActor (ModuleScope) -> ModuleScope.Infrastructure
    ) -> Container {
        Container(sandboxOf: self, session: session, infrastructure: infrastructure)
    }

    private func withSandbox<Result>(
        _ infrastructure: @escaping @MainActor (ModuleScope) -> ModuleScope.Infrastructure,
        _ body: (Container) throws -> Result
    ) rethrows -> Result {
        let sandbox = sandbox(session: .isolated(), infrastructure: infrastructure)
        defer { sandbox.close() }
        return try body(sandbox)
    }
}
