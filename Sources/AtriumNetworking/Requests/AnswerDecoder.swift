internal import AtriumKit
internal import FoundationEssentials

/// Decodes the body of a response.
enum AnswerDecoder {
    private static let decoder = JSONDecoder()

    /// - Throws: ``APIError`` with code `invalidResponse`.
    static func decode<Answer: Decodable>(
        _ type: Answer.Type, from response: HTTPResponse, _ plan: RequestPlan
    ) throws -> Answer {
        if Answer.self == NoAnswer.self, let nothing = NoAnswer() as? Answer { return nothing }
        guard !response.body.isEmpty else { throw APIErrors.empty(plan.name, status: response.status) }
        if let type = MediaType(response.fields), !type.isJSON {
            throw APIErrors.wrongType(plan.name, type.name, status: response.status)
        }
        do {
            return try decoder.decode(Answer.self, from: Data(response.body))
        } catch {
            let what = DecodingProblem.sentence(error)
            throw APIErrors.undecodable(plan.name, what, status: response.status)
        }
    }
}

/// Describes a decoding error by the path of the field and what was expected there, without values, as they may
/// be secret.
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
