extension RecordRepository {
    /// Stores a record for each row of a file, after the rules, all or none.
    ///
    /// - Returns: The number stored.
    /// - Throws: ``ValidationError`` with the mistakes of the file, ``FileError``, or the service's failure.
    func importAll(
        from file: RecordFile<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await file.check()
        await turns?.begin()
        defer { turns?.end() }
        let rows = try await allowedRows(of: file, progress)
        do {
            let count = try await changing(.importing, false, { _ in nil }) { try await $0.createAll(rows) }
            progress(count)
            track("Imported", count: count)
            return count
        } catch let error as ValidationError where error.findings.contains(where: { $0.line != nil }) {
            throw try await file.locating(error)
        }
    }

    /// The rows of a file, which a rule may change or refuse; progress is reported while they are read.
    private func allowedRows(
        of file: RecordFile<Item>, _ progress: @escaping @Sendable (Int) -> Void
    ) async throws -> @Sendable (_ add: (Item) throws -> Void) throws -> Void {
        guard rules.beforeCreate != nil || !existence.isEmpty else {
            return { add in try file.forEach(progress: progress, add) }
        }
        var records = try await file.records(progress: progress)
        do {
            try await checkReferences(ofRows: records)
        } catch let error as ValidationError {
            throw try await file.locating(error)
        }
        for index in records.indices {
            do {
                try await rules.beforeCreate?(&records[index])
            } catch let error as any ExplainedError {
                let finding = ValidationFinding(error.message, line: index + 1)
                throw try await file.locating(ValidationError(findings: [finding], cause: error))
            }
        }
        let allowed = records
        return { add in try allowed.forEach(add) }
    }

    /// Writes every record into a file; returns how many.
    func exportAll(
        to file: RecordFile<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        do {
            let count = try await file.export(from: service, progress: progress)
            track("Exported", count: count)
            return count
        } catch let error as FileError where error.code == .fileExists {
            throw ServiceError(
                .fileExists, "The file '\(file.path)' exists already; nothing was exported.",
                hint: "Give --replace to replace it, or name another file.", cause: error)
        } catch {
            throw error.explained(as: .exporting, of: Item.self)
        }
    }
}
