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

    private var usual: Stored
    private var edge = Stored(Item.edgeCases)

    init(_ samples: [Item], behavior: MockBehavior) {
        self.behavior = behavior
        usual = Stored(samples)
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
        try await play("page", ["page": "\(query.page)", "search": query.search ?? ""])
        let found = try query.matching(records).sorted { Self.isBefore($0, $1, query.sort) }
        return RecordPage(
            rows: Array(found.dropFirst(query.offset).prefix(query.size)), total: found.count)
    }

    func record(_ id: Int) async throws -> Item {
        try await play("record", ["id": "\(id)"])
        return records[try index(id)]
    }

    func values(of name: String) async throws -> [String] {
        try await play("values", ["field": name])
        let field = try Item.fields.field(name, among: Item.fields.filtered)
        let texts = Dictionary(records.compactMap(field.text).map { (SearchKey.of($0), $0) }) { first, _ in
            first
        }
        return texts.sorted { $0.key < $1.key }.map(\.value)
    }

    func create(_ record: Item) async throws -> Item {
        try await play("create", ["name": record.recordName])
        try checkUnique(record, Item.fields.all)
        return add(record)
    }

    func update(_ record: Item, from base: Item) async throws -> Item {
        try await play("update", ["id": "\(record.id)"])
        let index = try index(record.id)
        var changed = records[index]
        try changed.apply(record.changes(from: base), of: record, from: base)
        try checkUnique(changed, record.changes(from: base))
        records[index] = changed
        return changed
    }

    func delete(_ id: Int) async throws {
        try await play("delete", ["id": "\(id)"])
        records.remove(at: try index(id))
    }

    func createAll(
        _ read: @escaping @Sendable (_ add: (Item) throws -> Void) throws -> Void
    ) async throws -> Int {
        try await play("createAll", [:])
        var added: [Item] = []
        try read { added.append($0) }
        let former = stored
        do {
            for record in added {
                try checkUnique(record, Item.fields.all)
                _ = add(record)
            }
        } catch {
            stored = former
            throw error
        }
        return added.count
    }

    private func add(_ record: Item) -> Item {
        stored.lastID += 1
        var created = record
        created.id = stored.lastID
        records.append(created)
        return created
    }

    private func play(_ call: String, _ arguments: [String: String]) async throws {
        try await behavior.play(
            call, arguments.filter { !$0.value.isEmpty },
            failingWith: ServiceError.unavailable(
                "The service of \(Item.noun.plural)", mock: behavior.service))
    }

    private func index(_ id: Int) throws -> Int {
        guard let index = records.firstIndex(where: { $0.id == id }) else {
            throw ServiceError.noRecord(Item.noun, id, link: Item.link)
        }
        return index
    }

    private func checkUnique(_ record: Item, _ fields: [RecordField<Item>]) throws {
        for field in fields where field.traits.isUnique && field.text(of: record) != nil {
            if records.contains(where: { $0.id != record.id && field.isSame($0, record) }) {
                throw ValidationError(findings: [.notUnique(field, of: record)])
            }
        }
    }

    /// Compares records as a table does: by key, missing values first, then by id.
    private static func isBefore(_ left: Item, _ right: Item, _ sort: RecordSort?) -> Bool {
        guard let sort, let field = Item.fields[sort.field] else { return left.id < right.id }
        let order =
            field.isText
            ? compare(field.key(of: left), field.key(of: right))
            : compare(field.databaseValue(of: left), field.databaseValue(of: right))
        let ascending = order == 0 ? left.id < right.id : order < 0
        return sort.isDescending ? !ascending : ascending
    }

    private static func compare(_ left: String, _ right: String) -> Int {
        if left.utf8.elementsEqual(right.utf8) { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }

    private static func compare(_ left: DatabaseValue, _ right: DatabaseValue) -> Int {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.real(let left), .real(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.text(let left), .text(let right)): compare(left, right)
        case (.null, .null): 0
        case (.null, _): -1
        default: 1
        }
    }
}

extension Array where Element: Record {
    /// The records with ids from 1.
    fileprivate func numbered() -> [Element] {
        enumerated().map { index, record in
            var record = record
            record.id = index + 1
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
    /// Gives the field the longest or the least value, among some, that keeps its rules.
    fileprivate func setEdge(_ record: inout Root, isLongest: Bool) {
        let candidates = isLongest ? Self.long + choices.reversed() : Self.short + choices
        for text in candidates {
            if (try? set(&record, to: text)) != nil { return }
        }
    }

    private static var long: [String] {
        let lengths = [10_000, 1_000, 500, 250, 200, 100, 50, 40, 30, 20, 10, 5, 2, 1]
        let texts = lengths.map {
            String(String(repeating: "Zażółć 灯💡 gęślą ", count: $0 / 16 + 1).prefix($0))
        }
        let numbers = (1...19).reversed().map { String(repeating: "9", count: $0) }
        return texts + numbers + ["9999-12-31", "9999-12-31T23:59:59Z"]
    }

    private static var short: [String] {
        ["", "0", "1", "灯", "灯灯", "灯灯灯灯灯", "灯灯灯灯灯灯灯灯灯灯", "0001-01-01", "0001-01-01T00:00:00Z"]
    }
}
