/// The proxy of a service of records; the kit has it, as its protocol has an associated type.
final class RecordServiceProxy<Item: Record>: RecordService {
    private let service: any RecordService<Item>
    private let calls: ServiceCalls
    private let flag: CallsFlag

    init(_ service: any RecordService<Item>, _ calls: ServiceCalls) {
        (self.service, self.calls, flag) = (service, calls, calls.flag)
    }

    func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item> {
        guard flag.isOn else { return try await service.page(query) }
        return try await calls.perform("page(_:)", ["query": query]) { try await service.page(query) }
    }

    func page(_ query: RecordQuery<Item>, after last: Item?) async throws -> RecordPage<Item> {
        guard flag.isOn else { return try await service.page(query, after: last) }
        return try await calls.perform("page(_:after:)", ["query": query, "last": last as Any]) {
            try await service.page(query, after: last)
        }
    }

    func record(_ id: Item.ID) async throws -> Item {
        guard flag.isOn else { return try await service.record(id) }
        return try await calls.perform("record(_:)", ["id": id]) { try await service.record(id) }
    }

    func values(_ query: RecordValuesQuery) async throws -> RecordValues {
        guard flag.isOn else { return try await service.values(query) }
        return try await calls.perform("values(_:)", ["query": query]) { try await service.values(query) }
    }

    func create(_ record: Item) async throws -> Item {
        guard flag.isOn else { return try await service.create(record) }
        return try await calls.perform("create(_:)", ["record": record]) { try await service.create(record) }
    }

    func update(_ id: Item.ID, _ changes: RecordChanges<Item>) async throws -> Item {
        guard flag.isOn else { return try await service.update(id, changes) }
        return try await calls.perform("update(_:_:)", ["id": id, "changes": changes]) {
            try await service.update(id, changes)
        }
    }

    func delete(_ id: Item.ID) async throws -> Item? {
        guard flag.isOn else { return try await service.delete(id) }
        return try await calls.perform("delete(_:)", ["id": id]) { try await service.delete(id) }
    }

    func deleteAll(
        _ query: RecordQuery<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int? {
        guard flag.isOn else { return try await service.deleteAll(query, progress: progress) }
        return try await calls.perform("deleteAll(_:progress:)", ["query": query]) {
            try await service.deleteAll(query, progress: progress)
        }
    }

    func createAll(
        _ read: @escaping @Sendable (_ add: (Item) throws -> Void) throws -> Void
    ) async throws -> Int {
        guard flag.isOn else { return try await service.createAll(read) }
        return try await calls.perform("createAll(_:)", [:]) { try await service.createAll(read) }
    }

    func forEachPart(_ body: @escaping @Sendable ([Item]) throws -> Void) async throws {
        guard flag.isOn else { return try await service.forEachPart(body) }
        return try await calls.perform("forEachPart(_:)", [:]) { try await service.forEachPart(body) }
    }
}

extension ServiceProxy {
    static func records<Item: Record>(_ type: Item.Type) -> ServiceProxy {
        ServiceProxy((any RecordService<Item>).self) {
            let id = ServiceMethod.Parameter("id", Item.ID.self)
            let obstacle = "it takes a closure"
            return [
                method("page(_:)", [.init("query", RecordQuery<Item>?.self)]),
                method("page(_:after:)", obstacle: "its records are not given as text"),
                method("record(_:)", [id]),
                method("values(_:)", [.init("field", String.self), .init("limit", Int?.self)]),
                method("create(_:)", obstacle: "its record is not given as text: \(Item.link)/new"),
                method("update(_:_:)", obstacle: "its changes are not given as text: \(Item.link)"),
                method("delete(_:)", [id]),
                method("deleteAll(_:progress:)", obstacle: obstacle),
                method("createAll(_:)", obstacle: obstacle), method("forEachPart(_:)", obstacle: obstacle),
            ]
        } make: {
            RecordServiceProxy($0, $1)
        } call: { service, method, given in
            switch method {
            case 0: return try await service.page(given("query") ?? RecordQuery())
            case 2: return try await service.record(given("id"))
            case 3:
                let limit = try given("limit") ?? RecordValuesQuery.defaultLimit
                return try await service.values(RecordValuesQuery(field: given("field"), limit: limit))
            case 6: return try await service.delete(given("id")) as Any
            default: preconditionFailure("The method can't be called.")
            }
        }
    }

    private static func method(
        _ name: String, _ parameters: [ServiceMethod.Parameter] = [], obstacle: String? = nil
    ) -> ServiceMethod {
        ServiceMethod(name, parameters, isAsync: true, canThrow: true, obstacle: obstacle)
    }
}
