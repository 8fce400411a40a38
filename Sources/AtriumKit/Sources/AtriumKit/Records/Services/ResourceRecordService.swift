/// Records in a collection of the server's API.
struct ResourceRecordService<Item: Record>: RecordService {
    let api: any APIClient
    let path: String
    var valuePaths: [String: String] = [:]
    var hasFiles = false
    var scratchParent = ScratchFolder.standardParent
    private let walks: PageWalks<Item>?
    /// The most rows that a request asks for, where several make a page; many servers refuse to send more.
    private static var mostRows: Int { 100 }

    init(
        api: any APIClient, path: String, valuePaths: [String: String] = [:], hasFiles: Bool = false,
        scratchParent: String = ScratchFolder.standardParent
    ) {
        (self.api, self.path, self.valuePaths) = (api, path, valuePaths)
        (self.hasFiles, self.scratchParent) = (hasFiles, scratchParent)
        walks = PageWalks(api.conventions.paging)
    }

    func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item> {
        if let walks {
            var part = query
            part.size = min(query.size, Self.mostRows)
            return try await walks.page(query) { [part] page in
                let answer = try await request(list(part, at: page))
                return .init(
                    rows: answer.rows.map(\.record), total: answer.total, hasNext: answer.hasNext,
                    next: answer.next)
            }
        }
        let answer = try await request(list(query, at: .page(query.page)))
        guard let total = answer.total else {
            throw APIError.invalidResponse(
                "The server's page does not say how many \(Item.fields.noun.plural) there are.", status: nil)
        }
        return RecordPage(rows: answer.rows.map(\.record), total: total)
    }

    func record(_ id: Item.ID) async throws -> Item {
        try await request(reading(id), of: id).record(asked: id)
    }

    /// Asks the path of the field's values; reads all records if there is none.
    func values(_ query: RecordValuesQuery) async throws -> RecordValues {
        guard let path = valuePaths[query.field] else { return try await countedValues(query) }
        return try await request(values(query, at: path))
    }

    func create(_ record: Item) async throws -> Item {
        let created = try await request(creation(record)).record
        guard Self.normalized(created) == Self.normalized(record) else {
            throw ServiceError.answeredWithAnother(created, insteadOf: record)
        }
        return created
    }

    /// Servers may store a name with other white space or in other letter case, which is the same name.
    private static func normalized(_ record: Item) -> String? {
        Item.fields.editable.first { !$0.traits.isSecret }?.text(of: record)?.lowercased().filter {
            !$0.isWhitespace
        }
    }

    func update(_ id: Item.ID, _ changes: RecordChanges<Item>) async throws -> Item {
        if api.conventions.updateMethod == .put {
            let present = try await request(whole(id), of: id)
            return try await request(replacement(id, present, changes), of: id).record(asked: id)
        }
        return try await request(change(id, changes), of: id).record(asked: id)
    }

    func delete(_ id: Item.ID) async throws -> Item? {
        try await request(deletion(id), of: id)?.record(asked: id)
    }

    private func request<Answer: Decodable & Sendable>(
        _ endpoint: Endpoint<Answer>, of id: Item.ID? = nil
    ) async throws -> Answer {
        // A change affects lists in unknown ways, even if it fails.
        defer { if endpoint.call.method != .get { walks?.forget() } }
        do { return try await api.request(endpoint) } catch { throw explain(error, of: id) }
    }

    /// Returns a failure of the API in the words of the record; one without special meaning here is unchanged.
    private func explain(_ error: any Error, of id: Item.ID? = nil) -> any Error {
        guard let error = error as? APIError else { return error }
        switch error.status {
        case _ where error.isOffline: return ServiceError.unavailable(Item.fields.noun, error)
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
        let path = folder.path("import.jsonl")
        var writer = try RowFileWriter(path)
        try read { try writer.write(json: .object(Self.created($0))) }
        try writer.finish()
        return try await request(importing(path)).created
    }

    /// Fetches all records from the server, before the first is passed on.
    @concurrent func forEachPart(_ body: @escaping @Sendable ([Item]) throws -> Void) async throws {
        guard hasFiles else { return try await forEachPage(body) }
        let folder = try ScratchFolder(in: scratchParent)
        let answer = folder.path("export.jsonl")
        do { try await api.download(exporting.call, to: answer) { _ in } } catch { throw explain(error) }
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

// MARK: - Endpoints

// Reads ask the server each time, which may answer that nothing has changed: the repository has a cache, and an
// answer from a second one would count as seen now.

extension ResourceRecordService {
    func list(
        _ query: RecordQuery<Item>, at page: PageWalks<Item>.ServerPage
    ) -> Endpoint<APIPage<RecordAnswer<Item>>> {
        let filters = query.filters.sorted { $0.key < $1.key }.map { ($0.key, Optional($0.value)) }
        let endpoint = Endpoint<APIPage<RecordAnswer<Item>>>(
            .get, path,
            query: [("sort", query.sort?.text(of: Item.self))] + filters + [
                ("search", query.search?.normalized)
            ]
        ).with { $0.freshness = .reload }
        switch page {
        case .page(let number): return endpoint.page(number, size: query.size)
        case .cursor(let cursor): return endpoint.page(after: cursor, size: query.size)
        }
    }

    func reading(_ id: Item.ID) -> Endpoint<RecordAnswer<Item>> {
        Endpoint(.get, "\(path)/:id", ["id": "\(id)"]).with { $0.freshness = .reload }
    }

    func values(_ query: RecordValuesQuery, at path: String) -> Endpoint<RecordValues> {
        let sort = query.sort == .name ? "name" : "mostUsed"
        return Endpoint(.get, path, query: [("sort", sort), ("limit", "\(query.limit)")])
            .with { $0.freshness = .reload }
    }

    func creation(_ record: Item) -> Endpoint<RecordAnswer<Item>> {
        Endpoint(.post, path, body: body(Self.created(record)), access: .required)
            .with { $0.repetition = .withKey }
    }

    /// The members of a new record: those with a value, or with none where the default is one.
    private static func created(_ record: Item) -> JSONObject {
        // A field that users can't change is the server's, unless a rule has set it.
        let sent = Item.fields.all.filter { !$0.traits.isReadOnly || !$0.isEqual(record, Item()) }
        return record.members(
            of: sent.filter { $0.json(of: record) != .null || $0.json(of: Item()) != .null })
    }

    /// A merge patch (RFC 7396): null removes, an omitted member stays.
    func change(_ id: Item.ID, _ changes: RecordChanges<Item>) -> Endpoint<RecordAnswer<Item>> {
        let members = changes.applied(to: Item()).members(of: changes.fields)
        return Endpoint(
            .patch, "\(path)/:id", ["id": "\(id)"], body: body(members), access: .required
        ).with { $0.repetition = .withKey }
    }

    /// The record with the members that only the server knows.
    func whole(_ id: Item.ID) -> Endpoint<Answered<JSONValue>> {
        Endpoint(.get, "\(path)/:id", ["id": "\(id)"], access: .required).with { $0.freshness = .reload }
    }

    func replacement(
        _ id: Item.ID, _ present: Answered<JSONValue>, _ changes: RecordChanges<Item>
    ) throws -> Endpoint<RecordAnswer<Item>> {
        guard case .object(var members) = present.value else {
            throw APIError.invalidResponse(
                "The server's \(Item.fields.noun.singular) \(id) is not an object.", status: nil)
        }
        let changed = sent(changes.applied(to: Item()).members(of: changes.fields))
        for member in changed.members { members[member.key] = member.value }
        return Endpoint(
            .put, "\(path)/:id", ["id": "\(id)"], body: .json(JSONValue.object(members)), access: .required
        ).with {
            $0.repetition = .withKey
            if let tag = present.fields["ETag"] { $0.fields["If-Match"] = tag }
        }
    }

    private func body(_ members: JSONObject) -> APIBody { .json(JSONValue.object(sent(members))) }

    /// The members with times in the form of the API.
    private func sent(_ members: JSONObject) -> JSONObject {
        guard api.conventions.times != .rfc3339 else { return members }
        var members = members
        for field in Item.fields.all where field.access.isTime {
            guard let moment = members[field.name].flatMap({ Timestamp(json: $0) }) else { continue }
            members[field.name] = api.conventions.times.json(moment)
        }
        return members
    }

    /// Many servers return no body.
    func deletion(_ id: Item.ID) -> Endpoint<RecordAnswer<Item>?> {
        // With a key: a repeated deletion would find no record.
        Endpoint(.delete, "\(path)/:id", ["id": "\(id)"], access: .required).with { $0.repetition = .withKey }
    }

    func importing(_ file: String) -> Endpoint<ImportAnswer> {
        Endpoint(
            .post, "\(path)/import", body: .file(file, contentType: "application/x-ndjson"), access: .required
        ).with {
            $0.repetition = .withKey
            $0.timeLimit = .seconds(600)
        }
    }

    var exporting: Endpoint<NoAnswer> {
        Endpoint(.get, "\(path)/export").with {
            $0.fields["Accept"] = "application/x-ndjson, application/problem+json"
            $0.freshness = .none
            $0.timeLimit = .seconds(600)
        }
    }
}

struct ImportAnswer: Decodable, Sendable {
    @RowCount private(set) var created: Int
}

/// A record of an export, which may have no id.
private struct RecordLine<Item: Record>: Decodable, Sendable {
    let record: Item

    init(from decoder: any Decoder) throws {
        let object = try SentObject(decoder)
        record = try object.record(id: object.members["id"].flatMap { Item.ID(json: $0) } ?? .unstoredID)
    }
}

/// A record as a server sends it: an object with its id and its fields; others are ignored.
struct RecordAnswer<Item: Record>: Decodable, Sendable {
    let record: Item

    init(from decoder: any Decoder) throws {
        let object = try SentObject(decoder)
        guard let id = Item.ID(json: try object.member("id")), id.isStoredID else { throw object.wrong("id") }
        for field in Item.fields.all where field.isNeeded { _ = try object.member(field.name) }
        record = try object.record(id: id)
    }

    /// - Throws: ``APIError`` if the answer is another record than the one asked for.
    func record(asked id: Item.ID) throws -> Item {
        guard record.id == id else {
            throw APIError.invalidResponse(
                "The server answered with \(Item.fields.noun.singular) \(record.id) instead of \(id).",
                status: nil)
        }
        return record
    }
}

/// An object of an answer.
///
/// Its errors have the path of a member, and no value, which may be secret.
private struct SentObject {
    let members: JSONObject
    private let path: [any CodingKey]
    private let times: APIConventions.Times

    init(_ decoder: any Decoder) throws {
        path = decoder.codingPath
        guard case .object(let members) = try JSONValue(from: decoder) else {
            throw DecodingError.typeMismatch(
                JSONObject.self, .init(codingPath: path, debugDescription: "No object."))
        }
        self.members = members
        times = APIConventions.Times(of: decoder.userInfo)
    }

    func member(_ name: String) throws -> JSONValue {
        if let value = members[name] { return value }
        throw DecodingError.keyNotFound(
            JSONKey(stringValue: name), .init(codingPath: path, debugDescription: "No '\(name)'."))
    }

    func record<Item: Record>(id: Item.ID) throws -> Item {
        var members = members
        if times != .rfc3339 {
            for field in Item.fields.all where field.access.isTime {
                guard let value = members[field.name], value != .null else { continue }
                guard let moment = times.moment(value) else { throw wrong(field.name) }
                members[field.name] = moment.exchanged
            }
        }
        do { return try Item(id: id, members) } catch let error as ValidationError {
            throw wrong(error.findings.first?.field ?? "id")
        }
    }

    func wrong(_ name: String) -> DecodingError {
        .dataCorrupted(
            .init(codingPath: path + [JSONKey(stringValue: name)], debugDescription: "Not allowed."))
    }
}

extension RecordField {
    /// True if no record can have been created without a value.
    fileprivate var isNeeded: Bool {
        !traits.isSecret && !findings(in: Root()).isEmpty || traits.isCreationTime || traits.isChangeTime
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
    init(id: ID, _ object: JSONObject) throws {
        self.init()
        self.id = id
        for field in Self.fields.all {
            guard let value = object[field.name] else { continue }
            if let finding = field.access.set(&self, value) { throw ValidationError(findings: [finding]) }
        }
    }
}
