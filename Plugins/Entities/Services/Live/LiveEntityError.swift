import AtriumKit

/// What the failures of the server's API mean for entities.
enum LiveEntityError {
    /// The module's own error for a failure of a request; what has no meaning of its own here stays as it is.
    static func domainError(for error: any Error, of id: Int? = nil) -> any Error {
        guard let error = error as? APIError else { return error }
        switch error.status {
        case _ where error.isOffline: return EntityError.unavailable(error)
        case 401 where error.code != .notAuthenticated:
            return APIError.notAuthenticated("The server does not know who is signed in.", cause: error)
        case 404: return id.map { EntityError.notFound($0, cause: error) } ?? error
        case 422: return validationError(error) ?? error
        default: return error
        }
    }

    /// The same for an import, whose findings are told with the lines of the file.
    static func domainError(for error: any Error, importing file: EntityFile) throws -> any Error {
        guard let refusal = error as? APIError, refusal.status == 422,
            let fields = refusal.problem?.errors, fields.contains(where: { $0.line != nil })
        else { return domainError(for: error) }
        let findings = try findings(fields, in: file)
        return EntityFileError.invalid(file.path, findings, cause: error)
    }

    /// What the server sent for an export can't be read.
    static func invalidExport(_ row: EntityFileReader.Row) -> any Error {
        guard case .wrong(let findings) = row, let first = findings.first else {
            return APIError.invalidResponse("The server's export can't be read.", status: nil)
        }
        return APIError.invalidResponse("The server's export can't be read. \(first.text)", status: nil)
    }

    private static func validationError(_ error: APIError) -> ValidationError? {
        guard let fields = error.problem?.errors, !fields.isEmpty else { return nil }
        return ValidationError(
            findings: fields.map { ValidationFinding(field: $0.field ?? "", message: $0.detail) },
            cause: error)
    }

    /// The server counts the rows that it was sent; a person knows the lines of the file.
    private static func findings(
        _ fields: [ProblemDetails.Field], in file: EntityFile
    ) throws -> [EntityFileFinding] {
        let wanted = Set(fields.compactMap(\.line))
        let last = wanted.max() ?? 0
        var lines: [Int: Int] = [:]
        var reader = try EntityFileReader(file)
        var row = 0
        while row < last, case .draft(_, let line)? = try reader.next() {
            row += 1
            if wanted.contains(row) { lines[row] = line }
        }
        return fields.prefix(EntityFileFinding.maximum).map { field in
            EntityFileFinding(
                line: field.line.flatMap { lines[$0] } ?? 1, field: field.field, message: field.detail)
        }
    }
}
