/// The context of a repository factory; can't be stored or captured.
@MainActor
@frozen public struct RepositoryContext: ~Copyable {
    @usableFromInline let core: ContextCore

    @inlinable init(_ core: ContextCore) {
        self.core = core
    }

    /// The service registered as `type`.
    @inlinable @inline(__always) public func service<Service>(
        _ type: Service.Type = Service.self, named name: String? = nil
    ) throws -> Service {
        try core.resolve(type, named: name, ServiceContext.self)
    }

    /// The service registered as `type`; nil while no module registers it.
    ///
    /// For modules in `"uses"` of the manifest: what was built with it is built again when it comes, changes or
    /// goes.
    public func serviceIfPresent<Service>(
        _ type: Service.Type = Service.self, named name: String? = nil
    ) throws -> Service? {
        try core.resolveIfPresent(type, named: name, ServiceContext.self)
    }

    /// The session, readable and writable.
    public var session: SessionWriter { SessionWriter(core.session) }
    /// The changes of a topic, which services announce in their transactions on the database.
    ///
    /// Observers are notified soon after each commit, whichever host made it, on the main actor.
    public func changes(_ topic: String) -> ObserverList<DataChange> {
        let isWithheld = core.requester.scope?.withholds(.changes) == true
        return (isWithheld ? ChangeFeed() : core.infrastructure.changes).changes(of: topic)
    }

    /// The record of user activity; report to it after success.
    public var analytics: any Analytics { core.infrastructure.analytics }
    /// The log, under the module's name.
    public var logger: Logger { core.infrastructure.logger }
    /// The time of day; use it instead of the system's clock, so that tests can control it.
    public var clock: any WallClock { core.infrastructure.clock }
    /// Ids for new things; use these, not random ones, so that `--clock` gives the same ids in each run.
    public var ids: IDSource { core.infrastructure.ids }
}

extension RepositoryContext: LayerContext {
    @inlinable nonisolated static var tag: UInt { 2 }
}
