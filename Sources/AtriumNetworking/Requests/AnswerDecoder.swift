@_spi(Host) internal import AtriumKit
internal import FoundationEssentials

/// Decodes the body of a response.
enum AnswerDecoder {
    private static let decoder = JSONDecoder()

    /// - Throws: ``APIError`` with code `invalidResponse`.
    static func decode<Answer: Decodable>(
        _ type: Answer.Type, from response: HTTPResponse, _ plan: RequestPlan
    ) throws -> Answer {
        if Answer.self == NoAnswer.self, let nothing = NoAnswer() as? Answer { return nothing }
        func invalid(_ what: String) -> APIError {
            APIErrors.undecodable(plan.name, what, status: response.status)
        }
        if response.body.isEmpty, let optional = Answer.self as? any ExpressibleByNilLiteral.Type,
            let nothing = optional.init(nilLiteral: ()) as? Answer
        {
            return nothing
        }
        guard response.status != 303 else {
            if let optional = Answer.self as? any ExpressibleByNilLiteral.Type,
                let nothing = optional.init(nilLiteral: ()) as? Answer
            {
                return nothing
            }
            throw APIErrors.resultElsewhere(plan.name)
        }
        guard !response.body.isEmpty else { throw invalid("an empty body instead of JSON.") }
        if let type = MediaType(response.fields), !type.isJSON {
            throw invalid("\(type.name.prefix(80)) instead of JSON.")
        }
        do {
            let type = Answer.self as? any AnswerWithFields.Type
            if type != nil || !plan.wire.decodesAsUsual || Answer.self is any AnswerWithConventions.Type {
                let decoder = JSONDecoder()
                decoder.userInfo[APIConventions.key] = plan.wire.conventions
                decoder.userInfo[APIConventions.Times.key] = plan.wire.conventions.times
                if let type { decoder.userInfo[type.fieldsKey] = response.fields }
                let hasNames = Answer.self is any AnswerWithConventions.Type
                guard plan.wire.conventions.envelopeMember != nil, !hasNames else {
                    return try decoder.decode(Answer.self, from: Data(response.body))
                }
                return try decoder.decode(Enveloped<Answer>.self, from: Data(response.body)).answer
            }
            return try decoder.decode(Answer.self, from: Data(response.body))
        } catch {
            throw invalid(DecodingProblem.sentence(error))
        }
    }
}

/// An answer within a member of the body.
private struct Enveloped<Answer: Decodable>: Decodable {
    let answer: Answer

    init(from decoder: any Decoder) throws {
        let path = MemberPath(APIConventions(of: decoder).envelopeMember ?? "")
        // An optional answer may have no body, so it is nil without the member too.
        if let optional = Answer.self as? any ExpressibleByNilLiteral.Type,
            let nothing = optional.init(nilLiteral: ()) as? Answer
        {
            answer = try path.decodeIfPresent(Answer.self, from: decoder) ?? nothing
        } else {
            answer = try path.decode(Answer.self, from: decoder)
        }
    }
}

/// Describes a decoding error by the field's path and the expected type, without values, which may be secret.
enum DecodingProblem {
    static func sentence(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "'\(path(context.codingPath + [key]))' is missing."
        case DecodingError.valueNotFound(let type, let context):
            "\(subject(context.codingPath)) is null instead of \(noun(type))."
        case DecodingError.typeMismatch(let type, let context):
            "\(subject(context.codingPath)) is not \(noun(type))."
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            "the body is not valid JSON."
        case DecodingError.dataCorrupted(let context):
            "'\(path(context.codingPath))' has a value that is not allowed there."
        default:
            "the body can't be read."
        }
    }

    /// A path as JavaScript writes it: `rows[3].id`.
    static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }

    private static func subject(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the body" : "'\(path(keys))'"
    }

    private static func noun(_ type: any Any.Type) -> String {
        switch type {
        case is any FixedWidthInteger.Type: "a whole number"
        case is any FloatingPoint.Type: "a number"
        case is Bool.Type: "true or false"
        case is String.Type: "a text"
        default:
            "\(type)".hasPrefix("Array<") || "\(type)".hasPrefix("Set<") ? "a list" : "an object"
        }
    }
}

/// The field `Content-Type` without parameters, in lower case: `application/json`.
struct MediaType: Hashable {
    let name: String

    init?(_ fields: HTTPFields) {
        guard let value = fields["Content-Type"] else { return nil }
        // By bytes: this runs for every response, and characters cost microseconds.
        let bytes = value.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        name = String(Substring(bytes)).lowercased()
    }

    /// RFC 6839, 3.1.
    var isJSON: Bool { name == "application/json" || name.hasSuffix("+json") }
    var isProblem: Bool { name == "application/problem+json" }
}

/// The media types in the field `Accept` of a request (RFC 9110, 12.5.1), except for error descriptions.
struct AcceptedTypes: CustomStringConvertible {
    /// Without parameters, in lower case: `text/csv`, `text/*`.
    private let names: [String]

    init(_ fields: HTTPFields) {
        names = (fields["Accept"] ?? "*/*").split(separator: ",")
            .map { item in
                let name = item.prefix { $0 != ";" }.filter { !$0.isWhitespace }
                return String(name).lowercased()
            }
            .filter { !$0.isEmpty && $0 != "application/problem+json" }
    }

    func contains(_ type: MediaType) -> Bool {
        names.contains { name in
            name == "*/*" || name == type.name || name.hasSuffix("/*") && type.name.hasPrefix(name.dropLast())
        }
    }

    /// `text/csv or application/json`.
    var description: String { names.joined(separator: " or ") }
}
