/// The references between a module's records, collected during registration.
@MainActor
final class RecordReferences {
    /// Throws if the record with this id must not be deleted.
    typealias Referrer = @MainActor (RecordKey) async throws -> Void

    /// Of changes that check references, and of those that would break them.
    let turns = ChangeTurns()
    private var records: [ObjectIdentifier: any Record.Type] = [:]
    private var referrers:
        [ObjectIdentifier: [@MainActor (borrowing RepositoryContext) throws -> Referrer?]] = [:]
    private var used: [(record: any Record.Type, source: String, other: any Record.Type)] = []

    func add<Item: Record>(_ type: Item.Type) {
        records[ObjectIdentifier(type)] = type
        for (field, other) in Item.fields.references {
            used.append((type, "\(field.declared.source): the field '\(field.name)'", other))
            referrers[ObjectIdentifier(other), default: []].append {
                try Self.referrer(field, other, $0)
            }
        }
    }

    /// The names of the records' fields that are secret.
    var secretFields: [String] { records.values.flatMap { $0.secretFields } }

    /// The errors in the declarations, each with file and line.
    var problems: [(record: any Record.Type, text: String)] {
        used.filter { records[ObjectIdentifier($0.other)] == nil }.map {
            ($0.record, "\($0.source) refers to \($0.other), which the module does not register as a record")
        }
    }

    /// The checks before a record is deleted.
    func referrers<Item: Record>(
        to type: Item.Type, _ context: borrowing RepositoryContext
    ) throws -> [Referrer] {
        var found: [Referrer] = []
        for make in referrers[ObjectIdentifier(type)] ?? [] {
            if let referrer = try make(context) { found.append(referrer) }
        }
        return found
    }

    private static func referrer<Item: Record>(
        _ field: RecordField<Item>, _ other: any Record.Type, _ context: borrowing RepositoryContext
    ) throws -> Referrer? {
        let service: any RecordService<Item> = try context.service()
        if service is ResourceRecordService<Item> { return nil }
        let noun = other.noun
        return { id in
            var query = RecordQuery<Item>()
            (query.size, query.filters) = (1, [field.name: id.displayText])
            let count = try await service.page(query).total
            if count > 0 { throw ServiceError.isReferredTo(noun, id, by: count, field) }
        }
    }

    /// For each reference field, a check that a record with an id exists.
    static func existence<Item: Record>(
        for type: Item.Type, _ context: borrowing RepositoryContext
    ) throws -> [String: @MainActor (RecordKey) async throws -> Bool] {
        var found: [String: @MainActor (RecordKey) async throws -> Bool] = [:]
        for (field, other) in Item.fields.references {
            found[field.name] = try existence(of: other, context)
        }
        return found
    }

    private static func existence<Other: Record>(
        of type: Other.Type, _ context: borrowing RepositoryContext
    ) throws -> (@MainActor (RecordKey) async throws -> Bool)? {
        let service: any RecordService<Other> = try context.service()
        if service is ResourceRecordService<Other> { return nil }
        return { key in
            guard let id = Other.ID(json: key.json) else { return false }
            do {
                _ = try await service.record(id)
                return true
            } catch let error as ServiceError where error.code == .notFound {
                return false
            }
        }
    }
}

extension RecordRepository {
    /// Throws if some fields of a record refer to missing ones.
    func checkReferences(_ record: Item, _ fields: [RecordField<Item>]) async throws {
        guard !existence.isEmpty else { return }
        var known: [String: [RecordKey: Bool]] = [:]
        let findings = try await missingReferences(of: record, fields, &known)
        guard let first = findings.first else { return }
        let link = Item.fields.references.first { $0.field.name == first.field }?.record.link
        throw ValidationError(findings: findings, hint: link)
    }

    /// Throws if a row of a file refers to a missing record; each record is looked up once.
    func checkReferences(ofRows records: [Item]) async throws {
        var (findings, known) = ([ValidationFinding](), [String: [RecordKey: Bool]]())
        for (index, record) in records.enumerated() {
            findings += try await missingReferences(of: record, Item.fields.editable, &known, row: index + 1)
        }
        try ValidationError.check(findings)
    }

    private func missingReferences(
        of record: Item, _ fields: [RecordField<Item>], _ known: inout [String: [RecordKey: Bool]],
        row: Int? = nil
    ) async throws -> [ValidationFinding] {
        var findings: [ValidationFinding] = []
        for field in fields {
            guard let exists = existence[field.name], let id = field.referred(of: record) else { continue }
            let isKnown = known[field.name]?[id]
            let isThere = if let isKnown { isKnown } else { try await exists(id) }
            known[field.name, default: [:]][id] = isThere
            if !isThere { findings.append(.noReferencedRecord(field, id, row: row)) }
        }
        return findings
    }
}

extension Record {
    fileprivate static var secretFields: [String] {
        fields.all.filter { $0.traits.isSecret }.map(\.name)
    }
}
