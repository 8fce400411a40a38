import AtriumKit

/// Keeps entities at a server, over its API.
struct LiveEntityService: EntityService {
    private let api: any APIClient
    /// Where files are on their way to the server and back.
    private let temporaryFolder: String

    init(api: any APIClient, temporaryFolder: String = TemporaryFolder.standard) {
        self.api = api
        self.temporaryFolder = temporaryFolder
    }

    func page(_ query: EntityQuery) async throws -> EntityPage {
        try await request(.entities(query)).page(query)
    }

    func entity(_ id: Int) async throws -> Entity {
        try await request(.entity(id), of: id).entity
    }

    func categories(_ query: CategoryQuery) async throws -> CategoryList {
        try await request(.categories(query)).list
    }

    func create(_ draft: EntityDraft) async throws -> Entity {
        try await request(.createEntity(draft)).entity
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await request(.updateEntity(id, changes), of: id).entity
    }

    func delete(_ id: Int) async throws -> Entity {
        try await request(.deleteEntity(id), of: id).entity
    }

    /// Sends a file to the server, as JSON lines whatever its format is.
    ///
    /// It is read here first: what is wrong in it is found without the server.
    @concurrent func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await file.check()
        let folder = try TemporaryFolder(in: temporaryFolder)
        let upload = EntityFile(path: folder.path("import.jsonl"), format: .jsonLines)
        var writer = try EntityFileWriter(upload)
        var rows = 0
        _ = try file.forEachDraft { draft in
            try writer.write(draft)
            rows += 1
            if rows.isMultiple(of: EntityFile.stride) { progress(rows) }
        }
        try writer.finish()
        do {
            let created = try await api.request(.importEntities(upload.path)).created
            progress(created)
            return created
        } catch {
            throw try LiveEntityError.domainError(for: error, importing: file)
        }
    }

    /// Fetches all entities from the server, then writes them in the format of the file.
    @concurrent func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        // First, so that a file that can't be written is known before anything is fetched.
        var writer = try EntityFileWriter(file)
        let folder = try TemporaryFolder(in: temporaryFolder)
        let answer = EntityFile(path: folder.path("export.jsonl"), format: .jsonLines)
        do {
            try await api.download(Endpoint.exportEntities().call, to: answer.path) { _ in }
        } catch {
            throw LiveEntityError.domainError(for: error)
        }
        var written = 0
        var reader = try EntityFileReader(answer)
        while let row = try reader.next() {
            guard case .draft(let draft, _) = row else { throw LiveEntityError.invalidExport(row) }
            try writer.write(draft)
            written += 1
            guard written.isMultiple(of: EntityFile.stride) else { continue }
            try Task.checkCancellation()
            progress(written)
        }
        try Task.checkCancellation()
        try writer.finish()
        progress(written)
        return written
    }

    /// Asks the server, about the entity `id` where it is about one.
    ///
    /// Failures are the module's own errors, with the ``APIError`` as their cause.
    private func request<Answer: Decodable & Sendable>(
        _ endpoint: Endpoint<Answer>, of id: Int? = nil
    ) async throws -> Answer {
        do {
            return try await api.request(endpoint)
        } catch {
            throw LiveEntityError.domainError(for: error, of: id)
        }
    }
}
