/// Records in a collection of the server's API.
struct ResourceRecordService<Item: Record>: RecordService {
    let api: any APIClient
    let path: String
    var valuePaths: [String: String] = [:]
    var hasFiles = false
    var scratchParent = ScratchFolder.standardParent

    func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item> {
        let filters = query.filters.sorted { $0.key < $1.key }.map { ($0.key, Optional($0.value)) }
        let parameters: [(String, String?)] = [
            ("sort", query.sort?.text(of: Item.self)), ("search", query.search),
        ]
        let endpoint = Endpoint<APIPage<RecordAnswer<Item>>>(.get, path, query: parameters + filters)
            .page(query.page, size: query.size).with { $0.freshness = .reload }
        let answer = try await request(endpoint)
        let rows = answer.rows.map(\.record)
        return RecordPage(rows: rows, total: answer.total ?? query.offset.addingClamped(rows.count))
    }

    func record(_ id: Int) async throws -> Item {
        let endpoint = Endpoint<RecordAnswer<Item>>(.get, "\(path)/:id", ["id": "\(id)"])
        return try await request(endpoint.with { $0.freshness = .reload }, of: id).record(asked: id)
    }

    /// Asks the path of the field's values; reads all records if there is none.
    func values(_ query: RecordValuesQuery) async throws -> RecordValues {
        guard let path = valuePaths[query.field] else { return try await countedValues(query) }
        let sort = query.sort == .name ? "name" : "mostUsed"
        let endpoint = Endpoint<RecordValues>(
            .get, path, query: [("sort", sort), ("limit", "\(query.limit)")])
        return try await request(endpoint.with { $0.freshness = .reload })
    }

    func create(_ record: Item) async throws -> Item {
        // A field that users can't change is the server's, unless a rule has set it.
        let sent = Item.fields.all.filter { !$0.traits.isReadOnly || !$0.isEqual(record, Item()) }
        let endpoint = Endpoint<RecordAnswer<Item>>(
            .post, path, body: .json(JSONValue.object(record.members(of: sent))), access: .required)
        let created = try await request(endpoint.with { $0.repetition = .withKey }).record
        guard Self.normalized(created) == Self.normalized(record) else {
            throw ServiceError.answeredWithAnother(created, insteadOf: record)
        }
        return created
    }

    /// Servers may store a name with other white space or in other letter case, which is the same name.
    private static func normalized(_ record: Item) -> String? {
        Item.fields.all.first?.text(of: record)?.lowercased().filter { !$0.isWhitespace }
    }

    func update(_ id: Int, _ changes: RecordChanges<Item>) async throws -> Item {
        let values = changes.applied(to: Item())
        let endpoint = Endpoint<RecordAnswer<Item>>(
            .patch, "\(path)/:id", ["id": "\(id)"],
            body: .json(JSONValue.object(values.members(of: changes.fields))), access: .required)
        return try await request(endpoint.with { $0.repetition = .withKey }, of: id).record(asked: id)
    }

    /// Deletes a record; many servers return no body.
    func delete(_ id: Int) async throws -> Item? {
        // With a key: a repeated deletion would find no record.
        let endpoint = Endpoint<RecordAnswer<Item>?>(
            .delete, "\(path)/:id", ["id": "\(id)"], access: .required)
        return try await request(endpoint.with { $0.repetition = .withKey }, of: id)?.record(asked: id)
    }

    private func request<Answer: Decodable & Sendable>(
        _ endpoint: Endpoint<Answer>, of id: Int? = nil
    ) async throws -> Answer {
        do { return try await api.request(endpoint) } catch { throw explain(error, of: id) }
    }

    /// Returns a failure of the API in the words of the record; one without special meaning here is unchanged.
    private func explain(_ error: any Error, of id: Int? = nil) -> any Error {
        guard let error = error as? APIError else { return error }
        switch error.status {
        case _ where error.isOffline: return ServiceError.unavailable(Item.noun, error)
        case 401 where error.code != .notAuthenticated:
            return APIError.notAuthenticated("The server does not know who is signed in.", cause: error)
        case 404: return id.map { ServiceError.noRecord(Item.self, $0, cause: error) } ?? error
        default: return error.validationError ?? error
        }
    }
}

// MARK: - Files

extension ResourceRecordService {
    /// Sends the records to the server, as lines of JSON.
    @concurrent func createAll(
        _ read: @escaping @Sendable (_ add: (Item) throws -> Void) throws -> Void
    ) async throws -> Int {
        guard hasFiles else { throw ServiceError.noImport(Item.self) }
        let folder = try ScratchFolder(in: scratchParent)
        let upload = RecordFile<Item>(path: folder.path("import.jsonl"), format: .jsonLines)
        let writer = try RecordFileWriter(upload)
        try read { try writer.write([$0]) }
        _ = try writer.finish()
        let endpoint = Endpoint<ImportAnswer>(
            .post, "\(path)/import", body: .file(upload.path, contentType: "application/x-ndjson"),
            access: .required
        ).with {
            $0.repetition = .withKey
            $0.timeLimit = .seconds(600)
        }
        return try await request(endpoint).created
    }

    /// Fetches all records from the server, before the first is passed on.
    @concurrent func forEachPart(_ body: @escaping @Sendable ([Item]) throws -> Void) async throws {
        guard hasFiles else { return try await forEachPage(body) }
        let folder = try ScratchFolder(in: scratchParent)
        let answer = folder.path("export.jsonl")
        let endpoint = Endpoint<NoAnswer>(.get, "\(path)/export").with {
            $0.fields["Accept"] = "application/x-ndjson, application/problem+json"
            $0.freshness = .none
            $0.timeLimit = .seconds(600)
        }
        do { try await api.download(endpoint.call, to: answer) { _ in } } catch { throw explain(error) }
        var part: [Item] = []
        do {
            var reader = try JSONLinesReader(answer)
            while let (_, line) = try reader.next(RecordLine<Item>.self) {
                part.append(line.record)
                guard part.count == RecordFile<Item>.stride else { continue }
                try body(part)
                part = []
            }
        } catch let error as RowError {
            throw APIError.invalidResponse(
                "The server's export can't be read. \(error.finding.text)", status: nil)
        }
        if !part.isEmpty { try body(part) }
    }
}

private struct ImportAnswer: Decodable, Sendable {
    @RowCount private(set) var created: Int
}

/// A record of an export, which may have no id.
private struct RecordLine<Item: Record>: Decodable, Sendable {
    let record: Item

    init(from decoder: any Decoder) throws {
        guard case .object(let object) = try JSONValue(from: decoder) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "An object is expected."))
        }
        record = try Item(id: object["id"].flatMap { Int(json: $0) } ?? 0, object)
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
