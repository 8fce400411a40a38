/// Records in memory for environment mock; scenario `edge` has values at the limits of the rules.
actor SampleRecordService<Item: Record>: RecordService {
    private let behavior: MockBehavior

    /// The records of each kind of scenario, and the greatest id that was given.
    private struct Stored {
        var records: [Item]
        var lastID: Int

        init(_ records: [Item]) {
            self.records = records.numbered()
            lastID = records.count
        }
    }

    private let clock: any WallClock
    private var usual: Stored
    private var edge: Stored

    init(_ samples: [Item], edge: [Item], behavior: MockBehavior, clock: any WallClock) {
        (self.behavior, self.clock) = (behavior, clock)
        (usual, self.edge) =
            behavior.isEmpty ? (Stored([]), Stored([])) : (Stored(samples), Stored(edge))
    }

    private var stored: Stored {
        get { behavior.scenario.kind == .edge ? edge : usual }
        set { if behavior.scenario.kind == .edge { edge = newValue } else { usual = newValue } }
    }

    private var records: [Item] {
        get { stored.records }
        set { stored.records = newValue }
    }

    func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item> {
        var arguments = query.filters
        arguments["page"] = "\(query.page)"
        arguments["size"] = "\(query.size)"
        arguments["sort"] = query.sort?.text(of: Item.self)
        arguments["search"] = query.search
        try await play("page", arguments)
        return try query.page(of: records)
    }

    func record(_ id: Item.ID) async throws -> Item {
        try await play("record", ["id": "\(id)"])
        return records[try index(id)]
    }

    func values(_ query: RecordValuesQuery) async throws -> RecordValues {
        try await play(
            "values", ["field": query.field, "sort": query.sort.rawValue, "limit": "\(query.limit)"])
        return try RecordValues(of: records, query)
    }

    func create(_ record: Item) async throws -> Item {
        let given = Item.fields.editable.filter { $0.text(of: record) != nil }
        try await play("create", Self.arguments(given, of: record))
        try checkUnique(record, Item.fields.all)
        return add(record)
    }

    func update(_ id: Item.ID, _ changes: RecordChanges<Item>) async throws -> Item {
        try await play(
            "update",
            Self.arguments(changes.fields, of: changes.applied(to: Item())).merging(["id": "\(id)"]) {
                text, _ in text
            })
        let index = try index(id)
        let changed = try changes.checkedAndApplied(to: records[index])
        try checkUnique(changed, changes.fields)
        records[index] = changed.stamped(at: clock.now(), isNew: false)
        return records[index]
    }

    func delete(_ id: Item.ID) async throws -> Item? {
        try await play("delete", ["id": "\(id)"])
        return records.remove(at: try index(id))
    }

    func createAll(
        _ read: @escaping @Sendable (_ add: (Item) throws -> Void) throws -> Void
    ) async throws -> Int {
        try await play("createAll", [:])
        var added: [Item] = []
        try read { added.append($0) }
        let former = stored
        do {
            for (number, record) in added.enumerated() {
                try checkUnique(record, Item.fields.all, row: number + 1)
                _ = add(record)
            }
        } catch {
            stored = former
            throw error
        }
        return added.count
    }

    func forEachPart(_ body: @escaping @Sendable ([Item]) throws -> Void) async throws {
        try await play("all", [:])
        let all = records
        for start in stride(from: 0, to: all.count, by: RecordFile<Item>.stride) {
            try body(Array(all[start...].prefix(RecordFile<Item>.stride)))
        }
    }

    private func add(_ record: Item) -> Item {
        var created = record.stamped(at: clock.now(), isNew: true)
        repeat {
            stored.lastID += 1
            created.id = Item.ID(argument: "\(stored.lastID)") ?? .unstoredID
        } while records.contains { $0.id == created.id }
        records.append(created)
        return created
    }

    private static func arguments(_ fields: [RecordField<Item>], of record: Item) -> [String: String] {
        let shown = fields.filter { !$0.traits.isSecret }
        return Dictionary(shown.map { ($0.name, $0.text(of: record) ?? "") }) { first, _ in first }
    }

    private func play(_ call: String, _ arguments: [String: String]) async throws {
        try await behavior.play(
            call, arguments,
            failingWith: ServiceError.unavailable(
                "The \(Item.fields.noun.singular) service", mock: behavior.service))
    }

    private func index(_ id: Item.ID) throws -> Int {
        guard let index = records.firstIndex(where: { $0.id == id }) else {
            throw ServiceError.noRecord(Item.self, id)
        }
        return index
    }

    private func checkUnique(_ record: Item, _ fields: [RecordField<Item>], row: Int? = nil) throws {
        for field in fields where field.traits.isUnique && field.text(of: record) != nil {
            let isSame = field.isSame(as: record)
            if records.contains(where: { $0.id != record.id && isSame($0) }) {
                throw ValidationError(findings: [.notUnique(field, of: record, row: row)])
            }
        }
    }
}

extension Array where Element: Record {
    /// The records with ids from 1, where they have none.
    func numbered() -> [Element] {
        var taken = Set(map(\.id).filter(\.isStoredID))
        var number = 0
        return map { record in
            var record = record
            while !record.id.isStoredID {
                number += 1
                guard let id = Element.ID(argument: "\(number)"), taken.insert(id).inserted else { continue }
                record.id = id
            }
            return record
        }
    }
}

extension Record {
    /// Records at the limits of the rules: one with the longest values, and one with as few as allowed.
    static var edgeCases: [Self] {
        var (longest, least) = (Self(), Self())
        for field in fields.all {
            field.setEdge(&longest, isLongest: true)
            field.setEdge(&least, isLongest: false)
        }
        return [longest, least]
    }
}

extension RecordField {
    /// Gives the field the greatest or the least value that its options allow, or else the first of some that
    /// keeps its rules.
    fileprivate func setEdge(_ record: inout Root, isLongest: Bool) {
        let edges = edges?()
        let bound = isLongest ? edges?.greatest : edges?.least
        let others = isLongest ? Self.long + choices.reversed() : Self.short + choices
        for text in (isOptional && !isLongest ? [""] : []) + (bound.map { [$0] } ?? []) + others {
            if (try? set(&record, to: text)) != nil { return }
        }
    }

    private static var long: [String] {
        let numbers = (1...19).reversed().map { String(repeating: "9", count: $0) }
        return numbers + ["9999-12-31", "9999-12-31T23:59:59Z", "yes"]
    }

    private static var short: [String] {
        ["0", "1", "0001-01-01", "0001-01-01T00:00:00Z", "no"]
    }
}
