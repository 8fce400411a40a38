import AtriumKit

struct LiveEntityService: EntityService {
    let api: any APIClient
    var scratchParent = ScratchFolder.standardParent

    func page(_ query: EntityQuery) async throws -> EntityPage {
        try await request(.entities(query)).page(query)
    }

    func entity(_ id: Int) async throws -> Entity { try await request(.entity(id), of: id).entity(id) }

    func categories(_ query: CategoryQuery) async throws -> CategoryList {
        try await request(.categories(query))
    }

    func create(_ draft: EntityDraft) async throws -> Entity {
        try await request(.createEntity(draft)).entity(draft)
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await request(.updateEntity(id, changes), of: id).entity(id)
    }

    func delete(_ id: Int) async throws -> Entity {
        let answer = try await request(.deleteEntity(id), of: id)
        // Only the id and the name of a deleted entity are shown.
        let epoch = Timestamp(microseconds: 0)
        return try answer?.entity(id) ?? Entity(id: id, name: "\(id)", createdAt: epoch, updatedAt: epoch)
    }

    /// Sends a file to the server, always as JSON lines.
    ///
    /// Checks it first, so that its mistakes are found without the server.
    @concurrent func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await file.check()
        let folder = try ScratchFolder(in: scratchParent)
        let upload = EntityFile(path: folder.path("import.jsonl"), format: .jsonLines)
        var writer = try upload.makeWriter()
        _ = try file.forEachDraft(progress: progress) { try writer.write($0, as: upload.format) }
        try writer.finish()
        do {
            let created = try await api.request(.importEntities(upload.path)).created
            progress(created)
            return created
        } catch {
            throw try explain(error, importing: file)
        }
    }

    /// Fetches all entities from the server, then writes them in the format of the file.
    @concurrent func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        // First, so that an unwritable file is reported before anything is fetched.
        var writer = try file.makeWriter()
        let folder = try ScratchFolder(in: scratchParent)
        let answer = EntityFile(path: folder.path("export.jsonl"), format: .jsonLines)
        do {
            try await api.download(Endpoint.exportEntities().call, to: answer.path) { _ in }
        } catch {
            throw explain(error)
        }
        var written = 0
        try answer.read { row in
            switch row {
            case .draft(let draft, _): try writer.write(draft, as: file.format)
            case .wrong(let findings):
                throw APIError.invalidResponse(
                    "The server's export can't be read. \(findings[0].text)", status: nil)
            }
            written += 1
            guard written.isMultiple(of: EntityFile.stride) else { return true }
            try Task.checkCancellation()
            progress(written)
            return true
        }
        try Task.checkCancellation()
        try writer.finish()
        progress(written)
        return written
    }

    private func request<Answer: Decodable & Sendable>(
        _ endpoint: Endpoint<Answer>, of id: Int? = nil
    ) async throws -> Answer {
        do {
            return try await api.request(endpoint)
        } catch {
            throw explain(error, of: id)
        }
    }

    /// Returns a failure of the API in this module's words; one without special meaning here is unchanged.
    private func explain(_ error: any Error, of id: Int? = nil) -> any Error {
        guard let error = error as? APIError else { return error }
        switch error.status {
        case _ where error.isOffline: return ServiceError.unavailable(error)
        case 401 where error.code != .notAuthenticated:
            return APIError.notAuthenticated("The server does not know who is signed in.", cause: error)
        case 404: return id.map { ServiceError.notFound($0, cause: error) } ?? error
        default: return error.validationError ?? error
        }
    }

    /// The server counts the rows it receives; translate its findings to lines of the file.
    private func explain(_ error: any Error, importing file: EntityFile) throws -> any Error {
        guard let refusal = error as? APIError, refusal.status == 422,
            let findings = refusal.problem?.findings, findings.contains(where: { $0.line != nil })
        else { return explain(error) }
        let rejectedLines = Set(findings.compactMap(\.line))
        let last = rejectedLines.max() ?? 0
        var (row, lines) = (0, [Int: Int]())
        try file.read {
            guard case .draft(_, let line) = $0 else { return false }
            row += 1
            if rejectedLines.contains(row) { lines[row] = line }
            return row < last
        }
        let located = findings.prefix(EntityFile.maximumFindings).map { finding in
            ValidationFinding(
                finding.message, field: finding.field, line: finding.line.flatMap { lines[$0] } ?? 1)
        }
        return ValidationError.invalidFile(file.path, located, cause: refusal)
    }
}
