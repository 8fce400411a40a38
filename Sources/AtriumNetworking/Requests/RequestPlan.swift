@_spi(Host) internal import AtriumKit
internal import AtriumManifest

/// A call made ready: what stays the same over all attempts at it.
///
/// A class, as what it holds has no size at compile time: each copy would ask the SDK for its size and how to
/// copy it.
final class RequestPlan: Sendable {
    let name: EndpointName
    let call: APICall
    /// The request without its token.
    let request: HTTPRequest
    /// The path of the URL, by which stored answers are invalidated.
    let path: String
    /// Whether the request may be sent again.
    let repetition: APICall.Repetition
    /// How long all attempts together may take.
    let timeLimit: Duration
    /// How long one attempt may take.
    let attemptLimit: Duration
    /// What must not be shown: the idempotency key, and what a form proves somebody with.
    let secrets: [String]

    /// Makes a call ready; one whose answer goes to a file may take longer than others.
    ///
    /// - Throws: ``APIError`` where no request can be made of the call.
    init(
        _ call: APICall, _ configuration: APIConfiguration, isDownload: Bool = false, random: () -> UInt64
    ) throws {
        self.call = call
        name = EndpointName(call)
        path = try EndpointPath.path(of: call, behind: configuration.base)
        repetition = Self.repetition(of: call)
        let body = try RequestBody(call)
        let fields = try Self.fields(call, body, repetition, configuration, random)
        let isTransfer = isDownload || Self.isUpload(call)
        timeLimit = call.timeLimit ?? (isTransfer ? configuration.transferLimit : configuration.timeLimit)
        attemptLimit = isTransfer ? timeLimit : min(timeLimit, configuration.attemptLimit)
        request = HTTPRequest(
            call.method, configuration.base.origin + path + EndpointPath.query(of: call), fields: fields,
            body: body.body, timeLimit: attemptLimit,
            answerLimit: call.answerLimit ?? configuration.answerLimit)
        secrets = Self.secrets(of: call, fields)
    }

    /// Whether the answer may be stored, and serve those who ask the same at the same time.
    var isShareable: Bool {
        guard call.method == .get, call.freshness != .none, case .none = call.body else { return false }
        return call.fields["If-None-Match"] == nil && call.fields["Range"] == nil
    }

    /// What a call without a decision of its own does: what changes nothing more when it is done twice goes
    /// as it is; a repeated DELETE would be answered with 404, so it has a key as POST and PATCH have.
    private static func repetition(of call: APICall) -> APICall.Repetition {
        if let repetition = call.repetition { return repetition }
        return call.method.isIdempotent && call.method != .delete ? .safe : .withKey
    }

    private static func isUpload(_ call: APICall) -> Bool {
        if case .file = call.body { true } else { false }
    }

    private static func fields(
        _ call: APICall, _ body: RequestBody, _ repetition: APICall.Repetition,
        _ configuration: APIConfiguration, _ random: () -> UInt64
    ) throws -> HTTPFields {
        var fields = call.fields
        // A line break would begin another field (RFC 9110, 5.5).
        guard fields.fields.allSatisfy({ isLine($0.name) && isLine($0.value) })
        else { throw APIErrors.invalidField(call) }
        if fields["Accept"] == nil { fields.append("Accept", "application/json, application/problem+json") }
        if let type = body.contentType, fields["Content-Type"] == nil { fields.append("Content-Type", type) }
        if let agent = configuration.userAgent { fields.append("User-Agent", agent) }
        if repetition == .withKey, fields["Idempotency-Key"] == nil {
            fields.append("Idempotency-Key", RandomName.make(random))
        }
        return fields
    }

    private static func isLine(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 }
    }

    private static func secrets(of call: APICall, _ fields: HTTPFields) -> [String] {
        var secrets = fields["Idempotency-Key"].map { [$0] } ?? []
        guard case .form(let pairs) = call.body else { return secrets }
        secrets += pairs.filter { SecretName.matches($0.0) }.map(\.1)
        return secrets
    }
}
