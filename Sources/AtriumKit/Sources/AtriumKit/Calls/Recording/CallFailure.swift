/// Writes errors of services for a recording, and makes them again.
///
/// The errors of the kit keep their type, with the errors below them; those of a module become a ``ServiceError`` with
/// the same code and message, unless the method declares their type and it is `Codable`.
enum CallFailure {
    /// The most errors below an error.
    private static let deepest = 4

    /// The error of a method that throws errors of a type, as JSON.
    static func json<Failure: Error>(of error: any Error, as type: Failure.Type) -> JSONValue {
        let json = json(of: error, depth: 0)
        guard case .object(var object) = json, CallCoding.canCode(type) else { return json }
        object["value"] = try? CallCoding.json(of: error)
        return .object(object)
    }

    private static func json(of error: any Error, depth: Int) -> JSONValue {
        let explained = error as? any ExplainedError
        var object: JSONObject = [
            "code": .string((explained?.code ?? .unexpected).rawValue),
            "message": .string(explained?.message ?? CallText.of(error: error)),
        ]
        object["hint"] = explained?.hint.map { .string($0) }
        object["category"] = explained.flatMap { Self.names[$0.category] }.map { .string($0) }
        if let error = error as? ValidationError {
            object["findings"] = .array(error.findings.map(json))
        } else if let error = error as? APIError {
            object["api"] = api(error)
        }
        if depth < deepest, let cause = explained?.cause {
            object["cause"] = json(of: cause, depth: depth + 1)
        }
        return .object(object)
    }

    /// The error of a method that throws errors of a type.
    static func error<Failure: Error>(_ json: JSONValue, as type: Failure.Type) -> any Error {
        let value = json["value"].flatMap { try? CallCoding.value(type, from: $0) }
        return value ?? error(json)
    }

    private static func error(_ json: JSONValue) -> any Error {
        let code = ErrorCode(rawValue: json["code"]?.stringValue ?? ErrorCode.unexpected.rawValue)
        let message = json["message"]?.stringValue ?? "The recorded call failed."
        let (hint, cause) = (json["hint"]?.stringValue, json["cause"].map { error($0) as any Error })
        if case .array(let findings)? = json["findings"] {
            return ValidationError(
                code, findings: findings.map(finding), message: message, hint: hint, cause: cause)
        }
        if let api = json["api"] { return error(api, code, message, hint, cause) }
        let category = names.first { $0.value == json["category"]?.stringValue }?.key ?? .failure
        return ServiceError(code, message, hint: hint, category: category, cause: cause)
    }

    private static let names: [ErrorCategory: String] = [
        .validation: "validation", .usage: "usage", .module: "module", .refused: "refused",
    ]

    // MARK: - Errors of the kit

    private static func json(_ finding: ValidationFinding) -> JSONValue {
        var object: JSONObject = ["message": .string(finding.message)]
        object["field"] = finding.field.map { .string($0) }
        object["line"] = finding.line.map { .integer(Int64($0)) }
        object["column"] = finding.column.map { .integer(Int64($0)) }
        return .object(object)
    }

    private static func finding(_ json: JSONValue) -> ValidationFinding {
        ValidationFinding(
            json["message"]?.stringValue ?? "", field: json["field"]?.stringValue,
            line: json["line"].flatMap { Int(json: $0) }, column: json["column"].flatMap { Int(json: $0) })
    }

    private static func api(_ error: APIError) -> JSONValue {
        var object: JSONObject = ["outcome": .string(error.outcome.rawValue)]
        object["status"] = error.status.map { .integer(Int64($0)) }
        object["errorCode"] = error.errorCode.map { .integer(Int64($0)) }
        if let findings = error.problem?.findings, !findings.isEmpty {
            object["findings"] = .array(findings.map(json))
        }
        return .object(object)
    }

    private static func error(
        _ api: JSONValue, _ code: ErrorCode, _ message: String, _ hint: String?, _ cause: (any Error)?
    ) -> APIError {
        var problem: ProblemDetails?
        if case .array(let items)? = api["findings"] {
            problem = ProblemDetails(
                errors: items.map(finding).map {
                    ProblemDetails.Field(field: $0.field, line: $0.line, detail: $0.message)
                })
        }
        let error = APIError(
            code, message, hint: hint, cause: cause, status: api["status"].flatMap { Int(json: $0) },
            problem: problem, errorCode: api["errorCode"].flatMap { Int(json: $0) })
        return api["outcome"]?.stringValue.flatMap(ChangeOutcome.init).map(error.settled) ?? error
    }
}
