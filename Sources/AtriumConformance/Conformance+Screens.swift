internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumNavigation
internal import AtriumText

extension Conformance {
    /// Builds the screens in every scenario of the mock services, for a guest and for a signed-in user.
    mutating func checkScreens(_ screens: [ScreenRegistration]) async throws {
        var shown: [MockScenario.Kind: [Shown]] = [:]
        for isSignedIn in [false, true] {
            for kind in [MockScenario.Kind.success, .error, .edge] {
                let sandbox = Sandbox(host, kind, isSignedIn: isSignedIn, files: folder)
                defer { sandbox.container.close() }
                for screen in screens {
                    try Task.checkCancellation()
                    if let screen = try await show(screen, in: sandbox) {
                        shown[kind, default: []].append(screen)
                    }
                }
                noteServices(of: sandbox)
            }
        }
        failing = Set((shown[.success] ?? []).filter(\.failed).map(\.subject))
        checkActions(screens)
        checkMocks(shown)
    }

    /// All registrations, over separate mock services.
    struct Sandbox {
        let container: Container
        let mocks: MockDirector
        let kind: MockScenario.Kind
        let state: String

        @MainActor
        init(
            _ host: ShellHost, _ kind: MockScenario.Kind, isSignedIn: Bool, files folder: String,
            _ condition: String? = nil
        ) {
            let user = SessionUser(id: "sample", email: "sample@example.com", displayName: "Sample")
            let sandbox = MockSandbox(host, user: isSignedIn ? user : nil, files: folder) { _ in kind }
            (container, mocks) = (sandbox.container, sandbox.mocks)
            self.kind = kind
            let parts = [condition, "scenario \(kind.rawValue)", isSignedIn ? "signed in" : "guest"]
            state = parts.compactMap(\.self).joined(separator: ", ")
        }
    }

    /// The content of a screen in one state.
    struct Shown {
        let pattern: String
        let state: String
        /// Its text, or the error from loading it.
        let text: String
        /// The services that were called while it loaded.
        let called: Set<MockDirector.Key>
        var failed: Bool { text.hasPrefix("error: ") }
    }

    mutating func show(_ screen: ScreenRegistration, in sandbox: Sandbox) async throws -> Shown? {
        guard let destination = screen.sample(),
            let built = try? screen.build(
                destination, in: sandbox.container, navigator: scene.coordinator.detached())
        else { return nil }
        let subject = "'\(screen.pattern)'"
        await checkLayout(built.view.body, subject, "\(sandbox.state), not loaded")
        let before = sandbox.callCounts
        var failure: (any Error)?
        do {
            let view = built.view
            try await withTimeLimit(Self.limit, of: "The load of \(subject)") { try await view.load() }
        } catch {
            failure = error
        }
        try Task.checkCancellation()
        let after = sandbox.callCounts
        await checkLayout(built.view.body, subject, sandbox.state)
        if sandbox.kind == .success { checkSavedState(built, screen, in: sandbox) }
        let shown = Shown(
            pattern: screen.pattern.description, state: sandbox.state,
            text: failure.map { "error: \(Self.message(of: $0))" }
                ?? TextRenderer(width: 80, style: TextStyle(isColored: false)).render(built.view.body),
            called: Set(after.filter { before[$0.key] != $0.value }.map { $0.key }))
        try await checkRelease(consume built, subject, sandbox.state)
        return shown
    }

    // MARK: - Layout

    private mutating func checkLayout(_ content: Content, _ subject: String, _ state: String) async {
        report.looked(at: .layout)
        if content.blocks.isEmpty { report.add(.layout, "\(subject) shows nothing.", in: state) }
        if let key = Self.repeatedKey(content) {
            report.add(
                .layout, "\(subject) has two values under the key '\(key)'; programs see the last one only.",
                in: state)
        }
        let json = JSONValue.object(content.json).serialized
        if (try? StateCoding.decode(JSONObject.self, from: json)) == nil {
            report.add(.layout, "\(subject) has values that JSON can't carry.", in: state)
        }
        if let width = await Self.tooNarrow(content) {
            report.add(
                .layout, "\(subject) has a line of more than \(width) columns at that width.", in: state)
        }
    }

    /// A width that a line of the content exceeds; nil if there is none.
    @concurrent
    private static func tooNarrow(_ content: Content) async -> Int? {
        for width in 20...200 {
            let text = TextRenderer(width: width, style: TextStyle(isColored: false)).render(content)
            for line in text.split(separator: "\n") where TextWidth.of(line) > width { return width }
            await Task.yield()
        }
        return nil
    }

    private static func repeatedKey(_ content: Content) -> String? {
        var keys: Set<String> = []
        for block in content.blocks {
            let key: String
            switch block {
            case .field(let field): key = field.key
            case .table(let table): key = table.key
            case .verbatim(let verbatim): key = verbatim.key
            case .progress(let progress): key = progress.key
            case .group(let name, let inner):
                if let repeated = repeatedKey(inner) { return "\(name).\(repeated)" }
                key = name
            default: continue
            }
            if !keys.insert(key).inserted { return key }
        }
        return nil
    }

    // MARK: - View models

    private mutating func checkSavedState(_ built: Screen, _ screen: ScreenRegistration, in sandbox: Sandbox)
    {
        for (index, viewModel) in built.viewModels.enumerated() {
            do {
                guard let saved = try viewModel.saveState() else { continue }
                report.looked(at: .savedState)
                guard let destination = screen.sample() else { continue }
                let next = try screen.build(
                    destination, in: sandbox.container, navigator: scene.coordinator.detached())
                defer { next.entry.leave() }
                guard next.viewModels.indices.contains(index) else { continue }
                try next.viewModels[index].restoreState(saved)
                if try next.viewModels[index].saveState() != saved {
                    report.add(
                        .savedState,
                        "\(viewModel.name) of '\(screen.pattern)' saves another state after it was restored.")
                }
            } catch {
                report.add(
                    .savedState,
                    "The state of \(viewModel.name) of '\(screen.pattern)' can't be kept: "
                        + Self.message(of: error))
            }
        }
    }

    private mutating func checkRelease(
        _ built: consuming Screen, _ subject: String, _ state: String
    ) async throws {
        let objects = built.entry.objects
        built.entry.leave()
        _ = consume built
        report.looked(at: .release, objects.count)
        let messages = objects.map { "\($0.name) of \(subject) is alive after the screen was left." }
        if messages.contains(where: { !report.has(.release, $0) }) {
            try await Self.wait { !objects.contains(where: \.isAlive) }
        }
        for (object, message) in zip(objects, messages) where object.isAlive {
            report.add(
                .release, message, in: state,
                hint: "A closure or a task holds it; use [weak self], and the tasks of its context.")
        }
    }

    // MARK: - Actions

    private mutating func checkActions(_ screens: [ScreenRegistration]) {
        let interpreter = Interpreter(scene: scene)
        let completer = Completer(interpreter: interpreter)
        for screen in screens {
            guard let link = try? screen.sample()?.link().description,
                let actions = interpreter.declared.actions(of: screen)
            else { continue }
            for action in actions {
                report.looked(at: .actions)
                let subject = "'\(action.name)' of '\(screen.pattern)'"
                if action.summary.isEmpty { report.add(.actions, "\(subject) has no summary for 'help'.") }
                let line = "\(Quoting.quote(link)) \(action.name) --"
                let offered = completer.completions(of: line, at: line.utf8.count).candidates.map(\.text)
                for argument in action.arguments {
                    let name = "The argument '\(argument.name)' of \(subject)"
                    if argument.summary.isEmpty { report.add(.actions, "\(name) has no summary for 'help'.") }
                    if !offered.contains("--\(argument.name)"), argument != Action.yes.description {
                        report.add(.actions, "\(name) is not offered by completion.")
                    }
                }
            }
        }
    }

    // MARK: - Mock services

    /// Reports mock services without scenarios, if no service of the module has any.
    private mutating func noteServices(of sandbox: Sandbox) {
        let played = Set(sandbox.mocks.all.filter { $0.key.module == name }.map(\.key.service))
        guard sandbox.kind == .success, played.isEmpty else { return }
        for service in sandbox.container.graph.nodes
        where service.layer == .service && service.module == name && service.builds > 0
            && service.environments.contains(.mock)
        {
            report.add(
                .mocks, "The mock of \(service.name) has no scenarios.",
                hint: "Its factory gets their behavior: $0.mock((any \(service.name)).self)")
        }
    }

    /// Checks that in scenario error, each service that screens call makes a difference on a screen, and that
    /// in scenario edge, at least one of the module's services does.
    private mutating func checkMocks(_ shown: [MockScenario.Kind: [Shown]]) {
        let success = Dictionary((shown[.success] ?? []).map { ($0.subject, $0.text) }) { first, _ in first }
        let services = Set(shown.values.joined().flatMap(\.called)).filter { $0.module == name }
        report.looked(at: .mocks, services.count)
        for service in services.sorted() {
            let screens = (shown[.error] ?? []).filter { $0.called.contains(service) }
            guard !screens.isEmpty, screens.allSatisfy({ success[$0.subject] == $0.text }) else { continue }
            let patterns = Set(screens.map { "'\($0.pattern)'" }).sorted().joined(separator: ", ")
            report.add(.mocks, "Nothing on \(patterns) says that \(service.service) has failed.")
        }
        let screens = (shown[.edge] ?? []).filter { !$0.called.isDisjoint(with: services) }
        if !screens.isEmpty, screens.allSatisfy({ success[$0.subject] == $0.text }) {
            report.add(.mocks, "In scenario edge the screens show the same as in scenario success.")
        }
    }
}

extension Conformance.Shown {
    /// The screen, and whether a user is signed in.
    var subject: String { "\(pattern) \(state.hasSuffix("signed in"))" }
}

extension Conformance.Sandbox {
    @MainActor fileprivate var callCounts: [MockDirector.Key: Int] {
        Dictionary(mocks.all.map { ($0.key, $0.behavior.callCount) }) { first, _ in first }
    }
}
