@_spi(Host) package import AtriumKit
internal import AtriumLanguage
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
            effect: .changes,
            Argument<String>("code", "An expression, a statement or a definition; with '--save', a new file"),
            Argument<String?>("save", "Write the code that ran without error as a test of this name")
        ) { code, test in
            guard let test else { return .content(try await scene.snippetRunner.run(code)) }
            let count = try scene.snippetRunner.save(as: test, to: try scene.path(code))
            return .content(Content(), "Saved \(RecordNoun("line").counted(count)) in \(code).")
        }
        Action(
            "inspect", "Show an object in memory, and parts of it: screen.rows[0]",
            effect: .reads,
            Argument<String?>(
                "path", "What to show; without it, list the objects",
                suggestions: offersNames ? inspected.map(\.name) : [])
        ) { path in
            guard let path else { return .content(listed) }
            let name = path.prefix { $0 != "." && $0 != "[" }
            guard let value = inspected.first(where: { $0.name == name })?.value() else {
                if name == Self.lastValue {
                    throw ShellError(
                        "notBuilt", "There is no value of Swift code, or nothing else holds its object.",
                        hint: "swift let object = CODE")
                }
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
            var content = reflected.content
            if name.count == path.count {
                content.append(ContainerViews.holders(of: path, in: host.runtime.container.graph))
            }
            return .content(content)
        }
    }

    /// The name of the value of the code that ran last.
    private static let lastValue = "$_"

    /// The objects that there are.
    private var listed: Content {
        let objects = inspected.compactMap { object in object.value().map { (object.name, $0) } }
        return Content {
            Table(objects) {
                Column("name") { $0.0 }
                Column("type") { RegistrationKey.name(of: type(of: $0.1)) }
            }
        }
    }

    /// The objects with a name: of the current screen, then of the container.
    private var inspected: [(name: String, value: () -> Any?)] {
        let screen = scene.coordinator.shownScreen
        let container = host.runtime.container
        return [
            ("screen", { screen?.view }), ("viewModel", { screen?.entry.viewModels.first?.viewModel }),
            ("session", { host.session }), (Self.lastValue, { scene.snippets?.last.value }),
        ]
            + container.graph.nodes.filter(\.isBuilt).map { node in
                (node.name, { container.builtValue(of: node.name) })
            }
    }
}

extension Scene {
    /// The names in scope of Swift code.
    package var snippet: Snippet { snippetRunner.snippet }

    /// The runner of this scene's Swift code, made on first use.
    var snippetRunner: SnippetRunner {
        let runner = snippets ?? SnippetRunner(self)
        snippets = runner
        return runner
    }
}

/// A value of Swift code; objects are not kept alive by it.
struct LastValue {
    private weak var object: AnyObject?
    private let other: Any?

    init(_ value: Any?) {
        let value = value.flatMap(StoredParts.unwrapped)
        let isObject = value.map { type(of: $0) is AnyClass } == true
        object = isObject ? value as AnyObject : nil
        other = isObject ? nil : value
    }

    var value: Any? { object ?? other }
}

/// Runs the Swift code of one scene; what it defines stays.
@MainActor
final class SnippetRunner {
    private weak let scene: Scene?
    let snippet: Snippet
    /// The code that ran without error, oldest first.
    private var tried: [SavedTest.Line] = []
    /// The modules that this code named.
    private var named: Set<String> = []
    private static let mostTried = 1_000
    private var compiler: SnippetCompiler?
    private var isRunning = false
    private var isCompleting = false
    /// The value of the code that ran last, until a change of the modules.
    private(set) var last = LastValue(nil)

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
        let compiler = try present()
        let (libraries, aliases) = named(in: code, scene)
        func isActive(_ path: String) -> Bool {
            host.runtime.modules.contains { $0.current?.library.copy.path == path }
        }
        let forgotten = compiler.forgetOutdated(isActive: isActive)
        if !forgotten.isEmpty {
            scene.announce(
                "A module was updated: \(forgotten.joined(separator: ", ")) "
                    + "\(forgotten.count == 1 ? "is" : "are") no longer available.")
        }
        let body = try await compiler.compile(
            code, naming: libraries.map(SnippetCompiler.Module.init), aliases: aliases, isActive: isActive)
        snippet.beginOutput()
        let value = try await body(snippet)
        last = LastValue(value)
        tried.append(SavedTest.Line(code, on: scene.coordinator.currentEntry?.link, value: value))
        if tried.count > Self.mostTried { tried.removeFirst() }
        self.named.formUnion(libraries.map(\.name))
        return SnippetViews.content(of: value, printed: snippet.printed, dropped: snippet.dropped)
    }

    /// What may follow unfinished code, best first, for the word `prefix` at its end.
    ///
    /// - Throws: An error where `run` would, and `CancellationError`.
    func completions(of code: String, typing prefix: String) async throws -> [CompletionCandidate] {
        guard let scene, !isCompleting else { return [] }
        isCompleting = true
        defer { isCompleting = false }
        try checkPolicy(of: scene.host)
        let (libraries, aliases) = named(in: code, scene)
        let found = try await present().completions(
            of: code, typing: prefix, closing: SwiftCode.closing(of: code),
            naming: libraries.map(SnippetCompiler.Module.init), aliases: aliases)
        return found.map { CompletionCandidate(text: $0.text, summary: $0.summary, isFinal: false) }
    }

    /// The libraries of the modules that code names, also by their registrations, and the registered types that
    /// have another name in code.
    private func named(
        in code: String, _ scene: Scene
    ) -> (libraries: [CheckedLibrary], aliases: [(name: String, type: String)]) {
        let words = Set(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        // Not screens, whose names are words of the host too: session.
        let named = scene.host.runtime.container.graph.nodes.filter {
            !$0.code.isEmpty && words.contains($0.name)
        }
        var modules = Set(named.compactMap(\.module)).union(words).union(compiler?.imported ?? [])
        if words.contains("viewModel") || words.contains("screen"), let entry = scene.coordinator.currentEntry
        {
            modules.insert(entry.module)
        }
        let libraries = scene.host.runtime.modules.filter { modules.contains($0.name) }
            .compactMap(\.current?.library)
        let aliases = named.filter { !$0.code.hasSuffix($0.name) }
        return (libraries, aliases.map { ($0.name, $0.code) })
    }

    /// Writes a file with a test of the code that ran without error; returns the number of lines.
    ///
    /// - Throws: `FileError` if the file exists or can't be written; ``ShellError`` if nothing ran.
    func save(as name: String, to path: String) throws -> Int {
        guard let host = scene?.host, !tried.isEmpty else {
            throw ShellError(
                "nothingTried", "No Swift code has run without error here.", hint: "swift 20 + 22")
        }
        var modules = host.runtime.modules.filter { named.contains($0.name) }
        // With what they require.
        while let needed = host.runtime.modules.first(where: { module in
            !modules.contains { $0 === module }
                && modules.contains { $0.manifest?.requires.contains { $0.name == module.name } == true }
        }) {
            modules.append(needed)
        }
        let test = try SavedTest(
            name, tried, modules: modules.compactMap { $0.manifest?.entry }, importing: modules.map(\.name),
            environment: host.environment.rawValue)
        let file = try AtomicFile(path, replaces: false)
        try file.write(Array(test.text.utf8))
        try file.finish(synchronizing: false)
        return tried.count
    }

    /// Forgets the last value, which may have the types of a replaced build.
    func modulesDidChange() { last = LastValue(nil) }

    /// The compiler, found with the first use.
    ///
    /// It awaits nothing, so that concurrent calls get the same one, which has the definitions.
    private func present() throws -> SnippetCompiler {
        let compiler = try compiler ?? SnippetCompiler()
        self.compiler = compiler
        return compiler
    }

    /// The declarations of a name in AtriumKit and the active modules.
    func declarations(of name: String) async throws -> [DocumentedDeclaration] {
        guard let host = scene?.host else { throw CancellationError() }
        let modules = host.runtime.modules.compactMap(\.current?.library).map(SnippetCompiler.Module.init)
        return try await present().declarations(of: name, in: modules)
    }

    private func checkPolicy(of host: ShellHost) throws {
        guard let trust = host.runtime.reader.trust, !trust.allowsTypedCode else { return }
        throw ShellError(
            "notAllowed",
            "With trust policy '\(trust.policy.rawValue)' this host runs no code that is typed.",
            hint: "Set \"typedCode\": true in \"trust\" of modules.json.", category: .refused)
    }
}
