/// Records in a collection of the server's API.
struct ResourceRecordService<Item: Record>: RecordService {
    let api: any APIClient
    let path: String

    func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item> {
        let filters = query.filters.sorted { $0.key < $1.key }.map { ($0.key, Optional($0.value)) }
        let parameters: [(String, String?)] = [("sort", query.sort?.text), ("search", query.search)]
        let endpoint = Endpoint<APIPage<RecordAnswer<Item>>>(.get, path, query: parameters + filters)
            .page(query.page, size: query.size).with { $0.freshness = .reload }
        let answer = try await explaining { try await api.request(endpoint) }
        let rows = answer.rows.map(\.record)
        return RecordPage(rows: rows, total: answer.total ?? query.offset.addingClamped(rows.count))
    }

    func record(_ id: Int) async throws -> Item {
        let endpoint = Endpoint<RecordAnswer<Item>>(.get, "\(path)/:id", ["id": "\(id)"])
        return try await explaining(id) {
            try await api.request(endpoint.with { $0.freshness = .reload }).record(asked: id)
        }
    }

    /// Reads the field of all records: the conventions of APIs have no list of a field's values.
    func values(of name: String) async throws -> [String] {
        let field = try Item.fields.field(name, among: Item.fields.filtered)
        var values: [String: String] = [:]
        var (number, last) = (1, Item?.none)
        while true {
            let part = try await part(number, after: last)
            guard !part.isEmpty else { break }
            for text in part.compactMap(field.text) where values[SearchKey.of(text)] == nil {
                values[SearchKey.of(text)] = text
            }
            (number, last) = (number + 1, part.last)
        }
        return values.sorted { $0.key < $1.key }.map(\.value)
    }

    func create(_ record: Item) async throws -> Item {
        // A field that users can't change is the server's, unless a rule has set it.
        let sent = Item.fields.all.filter { !$0.traits.isReadOnly || !$0.isEqual(record, Item()) }
        let body = APIBody.json(
            JSONValue.object(record.members(of: sent)))
        return try await explaining {
            try await api.request(
                Endpoint<RecordAnswer<Item>>(.post, path, body: body, access: .required)
                    .with { $0.repetition = .withKey }
            ).record
        }
    }

    func update(_ record: Item, from base: Item) async throws -> Item {
        let fields = record.changes(from: base)
        guard !fields.isEmpty else { return base }
        let endpoint = Endpoint<RecordAnswer<Item>>(
            .patch, "\(path)/:id", ["id": "\(record.id)"],
            body: .json(JSONValue.object(record.members(of: fields))), access: .required)
        return try await explaining(record.id) {
            try await api.request(endpoint.with { $0.repetition = .withKey }).record(asked: record.id)
        }
    }

    func delete(_ id: Int) async throws {
        // With a key: a repeated deletion would find no record.
        let endpoint = Endpoint<NoAnswer>(.delete, "\(path)/:id", ["id": "\(id)"], access: .required)
        _ = try await explaining(id) { try await api.request(endpoint.with { $0.repetition = .withKey }) }
    }

    private func explaining<Value>(_ id: Int? = nil, _ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as APIError where error.status == 404 && id != nil {
            throw ServiceError.noRecord(Item.noun, id ?? 0, link: Item.link).because(of: error)
        } catch {
            throw ServiceError.explain(error, "The \(Item.noun.plural) can't be reached")
        }
    }
}

/// A record as a server sends it: an object with its id and its fields; others are ignored.
private struct RecordAnswer<Item: Record>: Decodable, Sendable {
    let record: Item

    init(from decoder: any Decoder) throws {
        func mistake(_ message: String) -> DecodingError {
            .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: message))
        }
        guard case .object(let object) = try JSONValue(from: decoder) else {
            throw mistake("An object with \(Item.noun.withArticle) is expected.")
        }
        guard let id = object["id"].flatMap({ Int(json: $0) }), id > 0 else {
            throw mistake("The \(Item.noun.singular) has no 'id' above 0.")
        }
        do {
            record = try Item(id: id, object)
        } catch let error as ValidationError { throw mistake(error.message) }
    }

    /// - Throws: ``APIError`` if the answer is another record than the one asked for.
    func record(asked id: Int) throws -> Item {
        guard record.id == id else {
            throw APIError.invalidResponse(
                "The server answered with \(Item.noun.singular) \(record.id) instead of \(id).", status: nil)
        }
        return record
    }
}

extension Record {
    /// The members of an object that a server gets.
    fileprivate func members(of fields: [RecordField<Self>]) -> JSONObject {
        var object = JSONObject()
        for field in fields { object[field.name] = field.json(of: self) }
        return object
    }

    /// Creates a record from an object with its fields; those that are missing have their defaults.
    ///
    /// - Throws: ``ValidationError`` for a value of another type. Values that break a rule are taken.
    init(id: Int, _ object: JSONObject) throws {
        self.init()
        self.id = id
        for field in Self.fields.all {
            guard let value = object[field.name] else { continue }
            if let finding = field.access.set(&self, value) { throw ValidationError(findings: [finding]) }
        }
    }
}
