internal import AtriumCrash
@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumStorage
internal import CCrash
internal import Glibc

/// The host's description of a library for the child process to load.
struct PreflightModule: Codable {
    let name: String
    let library: String
    let digest: String
    /// The library's original path, for messages.
    let source: String
    /// True if it is tried, or only required by a module that is.
    let isNew: Bool
    /// The contracts to open before it.
    let contracts: [PreflightContract]
    /// The configuration from `modules.json`, as a JSON object.
    let configuration: String
    /// The limit of the repository that it comes from; nil for none.
    var limit: RepositoryLimit?
    /// True if its screens are loaded too, should it be tried.
    var loadsScreens = false
}

/// The private copy of a contract's library, for the child process to open.
struct PreflightContract: Codable {
    let library: String
    let digest: String
    let source: String

    init(_ contract: CheckedContract) {
        (library, digest, source) = (contract.copy.path, contract.digest, contract.source)
    }

    var contract: CheckedContract {
        get throws {
            CheckedContract(
                manifest: try DiscoveredContract(RandomAccessFile(library, copiedFrom: source)).manifest,
                source: source, copy: StoredLibrary(path: library, digest: digest), evidence: "")
        }
    }
}

/// A report of the child, one line each.
enum PreflightEvent: Codable {
    /// A step begins; without a module, it concerns all of them together.
    case begin(Step, module: String?)
    case refused(module: String, ModuleError)
    /// The last step changed the process in these ways; the child exits.
    case changedProcess([String])
    case done

    package enum Step: String, Codable {
        case load, create, register, migrate, verify, activate, show, deactivate

        /// The step, worded to follow "while".
        var phrase: String {
            switch self {
            case .load: "it was opened"
            case .create: "it was created"
            case .register: "it registered"
            case .migrate: "its migrations were tried"
            case .verify: "what it registers was built"
            case .activate: "it was activated"
            case .show: "its screens were loaded"
            case .deactivate: "it was stopped"
            }
        }
    }
}

/// The child process of a ``Preflight``: carries out the host's coming steps with new libraries, and reports
/// each, so that the end of the process can be attributed to a module.
///
/// Runs in environment mock in a scratch folder. Standard output is for the host; modules can't reach it.
@MainActor
package struct PreflightChild {
    /// The name of the request in the scratch folder.
    static let requestFile = "request.json"
    /// The name of the crash record in the scratch folder.
    package static let crashFile = "crash"

    /// The limit of writable private memory, in bytes.
    static let memoryLimit: rlim_t = 1 << 30
    /// The exit status if a module closed the descriptor of the events.
    nonisolated static let lostEvents: CInt = 71

    private let modules: [PreflightModule]
    private let site: any ModuleSite
    private let events: CInt
    private let process = getpid()
    private let keeper: ProcessKeeper
    /// True if the last step was that of a tried module.
    private var isTrying = true
    private var loaded: [(module: PreflightModule, generation: Generation)] = []

    /// - Parameters:
    ///   - folder: The scratch folder, which contains the request.
    ///   - site: Provides the host's services, in the scratch folder.
    /// - Throws: An error if the request can't be read.
    package init(folder: String, site: any ModuleSite) throws {
        let bytes = try FileContents.read("\(folder)/\(Self.requestFile)")
        modules = try StateCoding.decode([PreflightModule].self, from: String(decoding: bytes, as: UTF8.self))
        self.site = site
        events = fcntl(1, F_DUPFD_CLOEXEC, 3)
        let nothing = open("/dev/null", O_WRONLY)
        dup2(nothing, 1)
        close(nothing)
        Self.limitMemory(to: Self.memoryLimit)
        // Orphaned grandchildren then count as children of this process.
        ccrash_adopt_orphans()
        keeper = ProcessKeeper(isTrial: true)
    }

    /// Limits the memory of this process permanently, and disables core files; limits are only ever lowered.
    ///
    /// Beyond RLIMIT_DATA an allocation fails, and Swift ends the process. RLIMIT_AS would also count the
    /// code of libraries, and the 64 MB of addresses that the C library reserves for each thread.
    ///
    /// - Parameter bytes: The limit of writable private memory.
    static func limitMemory(to bytes: rlim_t) {
        // 1, not 0: no core file is that small, and if the core pattern names a program, only 1 prevents it
        // from running (Linux, fs/coredump.c).
        for (resource, most) in [(RLIMIT_CORE, 1), (RLIMIT_DATA, bytes)] {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
            limit.rlim_max = min(limit.rlim_max, most)
            limit.rlim_cur = min(limit.rlim_cur, limit.rlim_max)
            setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        }
    }

    package mutating func run() async {
        for module in modules {
            do {
                try load(module)
            } catch {
                report(error, of: module)
            }
        }
        verify()
        for (module, generation) in loaded where module.isNew {
            begin(.activate, module)
            let reported = generation.scope.refusals.count
            // An error may be due to the empty scratch folder; in the host it fails the change.
            try? await generation.instance.activate(ActivationContext(site.container, for: generation.scope))
            for error in generation.scope.refusals.dropFirst(reported) { report(error, of: module) }
        }
        for isSignedIn in [false, true] { await loadScreens(isSignedIn: isSignedIn) }
        for (module, generation) in loaded.reversed() where module.isNew {
            begin(.deactivate, module)
            await generation.instance.deactivate()
        }
        endIfChanged()
        send(.done)
    }

    private mutating func load(_ module: PreflightModule) throws {
        // The file opened below must not take the number of a descriptor that the last step has closed.
        endIfChanged()
        begin(.load, module)
        let contracts = try module.contracts.map { try $0.contract }
        for contract in contracts { try DynamicLibrary.open(contract) }
        var library = CheckedLibrary(
            manifest: try DiscoveredLibrary(
                RandomAccessFile(module.library, copiedFrom: module.source)
            ).manifest,
            source: module.source, copy: StoredLibrary(path: module.library, digest: module.digest),
            evidence: "", identity: "")
        library.contracts = contracts
        let generation = try Generation(
            library, number: 1,
            configured: ConfiguredValues(file: ManifestValue.members(json: module.configuration)), site: site,
            limit: module.limit, open: DynamicLibrary.open, willBegin: { begin($0, module) })
        let present = loaded.map(\.generation)
        generation.registry.present = library.manifest.present { name in
            present.first { $0.name == name }?.version
        }
        if module.isNew { try tryMigrations(of: generation, module) }
        try site.container.add(generation.registry)
        do {
            try site.check(generation.screens, replacingThoseOf: [])
        } catch {
            site.container.remove(generation.scope)
            throw error
        }
        site.exchange(generation.screens, replacingThoseOf: [])
        loaded.append((module, generation))
    }

    /// Migrates the database in the scratch folder: a sample of the module's data, or an empty one.
    private mutating func tryMigrations(of generation: Generation, _ module: PreflightModule) throws {
        guard !generation.migrations.isEmpty, let path = generation.databaseFile else { return }
        begin(.migrate, module)
        do {
            try DatabaseCopy.tryMigrations(generation.migrations, on: path, owner: generation.name)
        } catch let error as DatabaseError {
            let isNewer = error.code == .databaseNewer
            throw ModuleError(
                error.code, error.message.replacing(" at \(path)", with: ""),
                hint: isNewer
                    ? nil : "It was tried on a copy; the data of module '\(generation.name)' is unchanged.")
        }
    }

    /// Builds all registrations; a finding is attributed to the first new module on its path.
    private mutating func verify() {
        begin(.verify)
        let screens = loaded.flatMap(\.generation.screens)
        let container = site.container
        guard let found = try? container.verify(screens: screens, infrastructure: { $0.infrastructure })
        else { return }
        let owners = Dictionary(found.graph.nodes.map { ($0.name, $0.module) }) { first, _ in first }
        let new = loaded.map(\.module).filter(\.isNew)
        for finding in found.findings {
            let names = finding.module.map { [$0] } ?? finding.path.compactMap { owners[$0] }
            let culprit = names.lazy.compactMap { name in new.first { $0.name == name } }.first
            if let culprit { report(finding.error, of: culprit) }
        }
    }

    /// Loads screens over mock services; an error is not harm, and the check that asked for it reports it.
    private mutating func loadScreens(isSignedIn: Bool) async {
        let tried = loaded.filter { $0.module.isNew && $0.module.loadsScreens }
        guard !tried.isEmpty else { return }
        let session = SessionManager.isolated()
        if isSignedIn {
            SessionWriter(session).signIn(
                SessionUser(id: "sample", email: "sample@example.com", displayName: "Sample"),
                credential: SessionCredential(token: "sample"))
        }
        let mocks = MockDirector(clock: SystemClock(), sleep: { _ in })
        let sandbox = site.container.sandbox(session: session) {
            ModuleRuntime.infrastructure(of: $0, mocks: mocks)
        }
        defer { sandbox.close() }
        for (module, generation) in tried {
            for screen in generation.screens {
                begin(.show, module)
                guard let destination = screen.sample(),
                    let built = try? screen.build(destination, in: sandbox, navigator: StationaryNavigator())
                else { continue }
                _ = built.view.body
                try? await built.view.load()
                _ = built.view.body
                built.entry.leave()
            }
        }
    }

    private func report(_ error: any Error, of module: PreflightModule) {
        let error = ModuleError.explained(error, of: module.name)
        send(.refused(module: module.name, ModuleError(error.code, error.message, hint: error.hint)))
    }

    private mutating func begin(_ step: PreflightEvent.Step, _ module: PreflightModule? = nil) {
        endIfChanged()
        isTrying = module?.isNew ?? true
        send(.begin(step, module: module?.name))
    }

    /// Exits if the last step changed the process: later steps would run under other conditions.
    private mutating func endIfChanged() {
        let changes = keeper.restore()
        guard isTrying, !changes.isEmpty else { return }
        send(.changedProcess(changes))
        _exit(0)
    }

    private func send(_ event: PreflightEvent) {
        // If a module forked, the second process would run this too.
        guard getpid() == process else { _exit(0) }
        guard let text = try? StateCoding.encode(event) else { return }
        let line = Array((text + "\n").utf8)
        if write(events, line, line.count) < 0 { _exit(Self.lostEvents) }
    }
}
