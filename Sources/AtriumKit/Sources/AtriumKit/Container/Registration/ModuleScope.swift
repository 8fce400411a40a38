/// One loaded generation of a module, as the container sees it.
@MainActor
@_spi(Host) public final class ModuleScope {
    public nonisolated let name: String
    /// The module's version, for messages.
    public nonisolated let version: String?
    /// The number of this build among those loaded of the module, from 1.
    public nonisolated let generation: Int
    /// The modules whose registrations this one may reach.
    public nonisolated let requires: Set<String>
    /// The modules that this one uses where they are there, each with what accepts its version.
    nonisolated let uses: [String: @Sendable (_ version: String) -> Bool]
    public let infrastructure: Infrastructure
    /// The parts withheld from the module, with the error about each; set before it registers.
    public var withheld: [Withheld: any ExplainedError] = [:]
    private var missed: [Withheld] = []
    /// The errors about what it reached for although it is withheld, in that order.
    public var refusals: [any ExplainedError] { missed.compactMap { withheld[$0] } }
    /// True if the generation was removed; resolving for it then fails.
    public internal(set) var isRetired = false
    public nonisolated let tasks = OwnedTasks()
    /// The container's state before the retirement, as long as work that began in it retains it.
    weak var past: Container?
    /// True if work that began before the retirement is still running.
    public var isHeldByWork: Bool { past != nil }

    public init(
        name: String, version: String? = nil, generation: Int = 1, requires: Set<String> = [],
        uses: [String: @Sendable (_ version: String) -> Bool] = [:], infrastructure: Infrastructure
    ) {
        self.name = name
        self.version = version
        self.generation = generation
        self.requires = requires
        self.uses = uses
        self.infrastructure = infrastructure
    }

    /// The module in a message: `module 'Catalog' 2.1.0`.
    nonisolated var title: String { "module '\(name)'" + (version.map { " \($0)" } ?? "") }

    /// Values of contexts that can be withheld and can't fail.
    public enum Withheld: Sendable, Hashable {
        case session, changes
    }

    /// True if a value is withheld from the module; the log says so once.
    func withholds(_ value: Withheld) -> Bool {
        guard let error = withheld[value] else { return false }
        if !missed.contains(value) {
            missed.append(value)
            infrastructure.logger.warning(error.message)
        }
        return true
    }

    func reaches(_ owner: ModuleScope) -> Bool {
        owner === self || owner.name == name || requires.contains(owner.name)
    }

    /// True if a module is there for this one: it is required, or used and of a version that fits.
    func finds(_ owner: ModuleScope) -> Bool {
        if reaches(owner) { return true }
        guard let accepts = uses[owner.name] else { return false }
        return owner.version.map(accepts) ?? true
    }

    /// The infrastructure of the host as one module gets it through its contexts.
    public struct Infrastructure {
        public let database: any Database
        public let clock: any WallClock
        public let ids: IDSource
        public let logger: Logger
        public let analytics: any Analytics
        public let configuration: Configuration
        public let api: any APIClient
        /// Returns the client for another server's API, by the module's name for it and its conventions.
        public let namedAPI: @MainActor (String, APIConventions) -> any APIClient
        public let mocks: MockDirector
        /// The calls of services; nil if they have no proxies.
        public let calls: CallMonitor?
        /// Creates the module's folder on first use, and returns its path.
        public let makeDataFolder: @Sendable () throws -> String
        public let changes: ChangeFeed

        /// Creates infrastructure; without an API client and a data folder, using them is an error.
        public init(
            database: any Database, clock: any WallClock, logger: Logger, analytics: any Analytics,
            configuration: Configuration, api: any APIClient = NoAPIClient(), mocks: MockDirector? = nil,
            namedAPI: (@MainActor (String, APIConventions) -> any APIClient)? = nil,
            makeDataFolder: @escaping @Sendable () throws -> String = { throw ServiceError.noDataFolder },
            changes: ChangeFeed = ChangeFeed(), calls: CallMonitor? = nil,
            ids: IDSource = .random
        ) {
            self.database = database
            self.clock = clock
            self.ids = ids
            self.logger = logger
            self.analytics = analytics
            self.configuration = configuration
            self.api = api
            self.namedAPI = namedAPI ?? { _, _ in api }
            self.mocks = mocks ?? MockDirector(clock: clock)
            self.makeDataFolder = makeDataFolder
            self.changes = changes
            self.calls = calls
        }
    }
}

extension ServiceError {
    /// The module has no folder, as in a sandbox.
    @_spi(Host) public static let noDataFolder = ServiceError(
        "noDataFolder", "There is no folder for the module's files here.")
}
