/// One loaded generation of a module, as the container sees it: its name and what the host gives it.
@MainActor
@_spi(Host) public final class ModuleScope {
    public nonisolated let name: String
    let infrastructure: Infrastructure

    public init(name: String, infrastructure: Infrastructure) {
        self.name = name
        self.infrastructure = infrastructure
    }

    /// What the host gives one module.
    public struct Infrastructure {
        let database: any Database
        let clock: any WallClock
        let logger: Logger
        let analytics: any Analytics
        let configuration: Configuration

        public init(
            database: any Database, clock: any WallClock, logger: Logger, analytics: any Analytics,
            configuration: Configuration
        ) {
            self.database = database
            self.clock = clock
            self.logger = logger
            self.analytics = analytics
            self.configuration = configuration
        }
    }
}
