/// One of several services that modules register as one type, each under a name.
public struct NamedService<Service> {
    /// The name under which it is registered.
    public let name: String
    /// The module that registered it.
    public let module: String
    /// The service itself.
    public let service: Service
}

extension NamedService: Sendable where Service: Sendable {}

extension RepositoryContext {
    /// The services that modules have registered as `type` with a name, sorted by name.
    ///
    /// They may come from any active module, like the elements of a contribution point; the repository's module
    /// need not require it. The repository is rebuilt when one of them appears, changes or disappears.
    public func services<Service>(_ type: Service.Type = Service.self) throws -> [NamedService<Service>] {
        try core.container.namedServices(type, for: core.requester)
    }
}

extension Container {
    fileprivate func namedServices<Service>(
        _ type: Service.Type, for request: Request
    ) throws -> [NamedService<Service>] {
        let key = RegistrationKey(Service.self, .list)
        let list = visibleSlot(key)
        request.add(list, .contributions)
        return try members(of: key).compactMap { member -> NamedService<Service>? in
            guard let name = member.key.label else { return nil }
            let (slot, registration) = try slot(for: member.key, request, checksAccess: false)
            list.add(SlotEdge(target: slot, kind: .contributions))
            return NamedService(
                name: name, module: registration.owner.name,
                service: try value(of: registration, in: slot, ServiceContext.self, for: request))
        }.sorted { $0.name < $1.name }
    }
}
