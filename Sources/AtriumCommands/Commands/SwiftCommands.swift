@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumSnippets
internal import AtriumText
internal import AtriumViews

/// The command that runs Swift.
extension HostCommands {
    @ActionsBuilder var swift: [Action] {
        Action(
            "swift", "Run Swift code in this host, such as: resolve(Type.self)",
            effect: .changes, Argument<String>("code", "An expression, a statement or a definition")
        ) { code in
            let runner = scene.snippets ?? SnippetRunner(scene)
            scene.snippets = runner
            return .content(try await runner.run(code))
        }
        Action(
            "inspect", "Show an object in memory, and parts of it: screen.rows[0]",
            effect: .reads,
            Argument<String>("path", "What to show", suggestions: offersNames ? inspected.map(\.name) : [])
        ) { path in
            let name = path.prefix { $0 != "." && $0 != "[" }
            guard let value = inspected.first(where: { $0.name == name })?.value() else {
                if ["screen", "viewModel"].contains(name) {
                    throw ShellError(
                        "notBuilt", "There is no screen, or it has no \(name).", hint: "open LINK")
                }
                if host.runtime.container.graph.nodes.contains(where: { $0.name == name }) {
                    throw ShellError(
                        "notBuilt", "'\(name)' has not been built, or is built anew for each use.",
                        hint: "swift resolve(\(name).self)")
                }
                throw ShellError.unknown(
                    "unknownObject", String(name), among: inspected.map(\.name),
                    else: "'container' lists what is registered."
                ) { "There is no object '\($0)'." }
            }
            let reflected = try ReflectedValue(value).part(path.dropFirst(name.count))
            return .content(reflected.content)
        }
    }

    /// The objects with a name: of the current screen, then of the container.
    private var inspected: [(name: String, value: () -> Any?)] {
        let screen = scene.coordinator.shownScreen
        let container = host.runtime.container
        return [
            ("screen", { screen?.view }), ("viewModel", { screen?.entry.viewModels.first?.viewModel }),
            ("session", { host.session }),
        ]
            + container.graph.nodes.filter(\.isBuilt).map { node in
                (node.name, { container.builtValue(of: node.name) })
            }
    }
}

/// Runs the Swift code of one scene; what it defines stays.
@MainActor
final class SnippetRunner {
    private weak let scene: Scene?
    private let snippet: Snippet
    private var compiler: SnippetCompiler?
    private var isRunning = false

    init(_ scene: Scene) {
        self.scene = scene
        let host = scene.host
        snippet = Snippet(
            container: host.runtime.container, session: host.session, clock: host.clock ?? SystemClock(),
            log: Logger(module: "swift", sink: host.logFile)
        ) { [weak scene] in
            let screen = try scene?.coordinator.currentScreen()
            return (screen?.view, screen?.entry.viewModels ?? [])
        }
    }

    /// - Throws: ``SnippetError``, what the code throws, or `CancellationError`.
    func run(_ code: String) async throws -> Content {
        guard let scene else { throw CancellationError() }
        let host = scene.host
        try checkPolicy(of: host)
        guard !isRunning else {
            throw ShellError("busy", "Earlier Swift code of this scene is still running.", hint: "wait")
        }
        isRunning = true
        defer { isRunning = false }
        // Not the code, which may have a secret.
        host.runtime.journal.record("swift", "\(code.utf8.count) bytes of code")
        let compiler = if let compiler { compiler } else { try await SnippetCompiler() }
        self.compiler = compiler
        let words = Set(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        let named = host.runtime.container.graph.nodes.filter { words.contains($0.name) }
        var modules = Set(named.compactMap(\.module)).union(words)
        if words.contains("viewModel") || words.contains("screen"), let entry = scene.coordinator.currentEntry
        {
            modules.insert(entry.module)
        }
        let libraries = host.runtime.modules.filter { $0.current != nil && modules.contains($0.name) }
            .compactMap(\.library)
        let body = try await compiler.compile(
            code, naming: libraries.map(SnippetCompiler.Module.init),
            aliases: named.filter { !$0.code.isEmpty && !$0.code.hasSuffix($0.name) }.map {
                ($0.name, $0.code)
            })
        snippet.beginOutput()
        let value = try await body(snippet)
        return SnippetViews.content(of: value, printed: snippet.printed, dropped: snippet.dropped)
    }

    private func checkPolicy(of host: ShellHost) throws {
        guard let trust = host.runtime.reader.trust, !trust.allowsTypedCode else { return }
        throw ShellError(
            "notAllowed",
            "With trust policy '\(trust.policy.rawValue)' this host runs no code that is typed.",
            hint: "Set \"typedCode\": true in \"trust\" of modules.json.", category: .refused)
    }
}
