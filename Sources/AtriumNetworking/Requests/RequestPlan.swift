@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import FoundationEssentials

/// The parts of a call that all attempts share.
///
/// A class, because the size of its contents is known only at run time, and each copy would look it up.
final class RequestPlan: Sendable {
    let name: EndpointName
    let call: APICall
    let request: HTTPRequest
    /// The path of the URL, for the invalidation of cached responses.
    let path: String
    let repetition: APICall.Repetition
    let timeLimit: Duration
    let attemptLimit: Duration
    /// The idempotency key and the secret values of a form.
    let secrets: [String]
    let wire: WireConventions
    /// True if this is a change that is not repeated because the API has no idempotency key.
    let lacksKey: Bool

    /// - Throws: ``APIError`` if the call has no valid request.
    init(
        _ call: APICall, _ configuration: APIConfiguration, isDownload: Bool = false, random: () -> UInt64
    ) throws {
        wire = configuration.wire
        let call = wire.placed(call)
        self.call = call
        name = EndpointName(call)
        path = try Self.path(of: call, behind: configuration.base)
        let wanted = call.effectiveRepetition
        lacksKey = wanted == .withKey && wire.idempotencyHeader == nil
        repetition = lacksKey ? .never : wanted
        let (body, contentType) = try Self.body(of: call, wire.conventions.times)
        let key = repetition == .withKey ? wire.idempotencyHeader : nil
        let fields = try Self.fields(call, contentType, key: key, wire.fields, random)
        let isTransfer = if case .file = body { true } else { isDownload }
        timeLimit = call.timeLimit ?? (isTransfer ? configuration.transferLimit : configuration.timeLimit)
        attemptLimit = isTransfer ? timeLimit : min(timeLimit, configuration.attemptLimit)
        var request = HTTPRequest(
            call.method, configuration.base.origin + path + Self.query(of: call, wire), fields: fields,
            body: body, timeLimit: attemptLimit,
            answerLimit: call.answerLimit ?? configuration.answerLimit)
        request.tls = configuration.tls
        if let names = wire.credentialFields { request.credentialFields = names }
        self.request = request
        secrets = wire.secrets + Self.secrets(of: call, key.flatMap { fields[$0] }, wire.conventions)
    }

    /// True if performing the request twice could do harm.
    ///
    /// True unless it is a read or declared repeatable without further effect. False for a sign-in, of which
    /// only the answer is used.
    var isChange: Bool {
        !call.method.isSafe && call.repetition != .safe
            && call.pattern != wire.conventions.authorization.tokenPath
    }

    /// True if the response may be cached.
    var isCacheable: Bool {
        guard call.method == .get, call.freshness != .none, case .none = call.body else { return false }
        return call.fields["If-None-Match"] == nil && call.fields["Range"] == nil
    }

    /// The base path and the pattern with percent-encoded values: `/v1/entities/42`.
    ///
    /// - Throws: ``APIError`` with code `invalidURL` if a value is missing, empty, `.` or `..`: these would
    ///   change which resource is meant (RFC 3986, 5.2.4).
    private static func path(of call: APICall, behind base: ServerURL) throws -> String {
        var path = base.path
        // By bytes: this runs for every call, and characters cost microseconds.
        for segment in call.pattern.utf8.split(separator: UInt8(ascii: "/")) {
            path += "/"
            guard segment.first == UInt8(ascii: ":") else {
                path += Substring(segment)
                continue
            }
            let name = String(Substring(segment.dropFirst()))
            guard let value = call.values[name], !value.isEmpty, value != ".", value != ".."
            else { throw APIErrors.invalidPath(call) }
            path += PercentEncoding.component(value)
        }
        // "rows/" and "rows" are two resources, and servers redirect from one to the other.
        if call.pattern.utf8.last == UInt8(ascii: "/") { path += "/" }
        return path
    }

    /// The query with its `?`, or an empty text.
    private static func query(of call: APICall, _ wire: WireConventions) -> String {
        let fields = call.page == nil ? call.query : call.query(wire.conventions.paging)
        guard !fields.isEmpty else { return "" }
        let parts = fields.map {
            "\(PercentEncoding.component($0.name))=\(PercentEncoding.component($0.value))"
        }
        return "?" + parts.joined(separator: "&")
    }

    /// The keys of JSON are sorted, so that equal values give equal bytes.
    private static func encoder(_ times: APIConventions.Times) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[Timestamp.isForServers] = true
        encoder.userInfo[APIConventions.Times.key] = times
        return encoder
    }

    private static let usualEncoder = encoder(.rfc3339)

    private static func body(of call: APICall, _ times: APIConventions.Times) throws -> (
        HTTPBody, contentType: String?
    ) {
        switch call.body {
        case .none: return (.none, nil)
        case .form(let pairs):
            return (.bytes(PercentEncoding.form(pairs)), "application/x-www-form-urlencoded")
        case .file(let path, let type): return (.file(path), type)
        case .json(let value):
            let encoder = times == .rfc3339 ? usualEncoder : encoder(times)
            guard let data = try? encoder.encode(value) else { throw APIErrors.unencodable(call) }
            return (.bytes(Array(data)), "application/json")
        @unknown default: throw APIErrors.unencodable(call)
        }
    }

    private static func fields(
        _ call: APICall, _ contentType: String?, key: String?, _ further: [HTTPFields.Field],
        _ random: () -> UInt64
    ) throws -> HTTPFields {
        var fields = call.fields
        for field in further where fields[field.name] == nil { fields.append(field.name, field.value) }
        // A line break would begin another field (RFC 9110, 5.5).
        let isLine = { (text: String) in text.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 } }
        guard fields.fields.allSatisfy({ isLine($0.name) && isLine($0.value) }) else {
            throw APIErrors.invalidField(call)
        }
        if fields["Accept"] == nil { fields.append("Accept", "application/json, application/problem+json") }
        if let contentType, fields["Content-Type"] == nil { fields.append("Content-Type", contentType) }
        if let key, fields[key] == nil { fields.append(key, RandomName.make(random)) }
        return fields
    }

    private static func secrets(
        of call: APICall, _ key: String?, _ conventions: APIConventions
    ) -> [String] {
        let names = conventions.authorization
        let isSecret = { (name: String) in SecretName.matches(name) || names.isSecret(name) }
        var secrets = key.map { [$0] } ?? []
        func addFromURL(_ name: String, _ value: String) {
            // A page's token may be a short number that also occurs elsewhere.
            guard value.utf8.count >= 6, isSecret(name) else { return }
            secrets.append(value)
        }
        for field in call.query { addFromURL(field.name, field.value) }
        for (name, value) in call.values { addFromURL(name, value) }
        if case .form(let pairs) = call.body { secrets += pairs.filter { isSecret($0.0) }.map(\.1) }
        return secrets
    }
}

/// Unique names: idempotency keys, ids of sign-ins.
enum RandomName {
    /// 128 random bits as 32 hexadecimal digits.
    static func make(_ random: () -> UInt64) -> String {
        [random(), random()].map { bits in
            let digits = String(bits, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
