internal import AtriumKit

extension ProblemDetails {
    func redacted(_ redact: Redactor) -> ProblemDetails {
        ProblemDetails(
            type: redact(type), title: redact(title), status: status, detail: redact(detail),
            instance: redact(instance),
            errors: errors.map { Field(field: redact($0.field), line: $0.line, detail: redact($0.detail)) })
    }
}

extension ResponseErrorHandler {
    func redacted(_ redact: Redactor) -> ResponseErrorHandler {
        ResponseErrorHandler(errorMsg: redact(errorMsg), errorCode: errorCode, statusCode: statusCode)
    }
}

extension TransportError {
    func redacted(_ redact: Redactor) -> TransportError {
        TransportError(code, redact(message), hint: redact(hint), neverSent: neverSent)
    }
}
