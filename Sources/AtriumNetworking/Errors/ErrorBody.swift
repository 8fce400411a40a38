@_spi(Host) internal import AtriumKit
internal import FoundationEssentials
internal import Glibc

/// The error description in the body of a response, in any form in common use.
struct ErrorBody {
    /// A problem of RFC 9457, or the equivalent from other forms: a sentence, and findings with their fields.
    let problem: ProblemDetails?
    let handler: ResponseErrorHandler?
    /// The name of an OAuth error (RFC 6749, 5.2; RFC 6750, 3.1).
    let oauth: String?
    /// The server's sentence, with a full stop; nil if there is none.
    let sentence: String?

    init(_ response: HTTPResponse, redact: Redactor) {
        let data = Data(response.body)
        let type = MediaType(response.fields)
        handler = ErrorCodeBody.handler(response)?.redacted(redact)
        let json = try? JSONDecoder().decode(JSONValue.self, from: data)
        oauth = json?["error"]?.stringValue.flatMap { $0.utf8.count <= 60 ? redact($0) : nil }
        let isProblem = type?.isProblem ?? false
        let body = PlainErrorBody(json, text: json == nil && type?.name == "text/plain" ? response.body : [])
        let described = isProblem ? try? JSONDecoder().decode(ProblemDetails.self, from: data) : nil
        let problem = (described ?? body.problem(status: response.status))?.redacted(redact)
        self.problem = problem
        let said =
            problem?.detail ?? problem?.title ?? handler?.errorMsg ?? redact(body.sentence)
            ?? problem?.fieldText
        sentence = said.flatMap { $0.isEmpty ? nil : APIErrors.sentence($0) }
    }
}

extension ProblemDetails {
    /// The findings in one text.
    fileprivate var fieldText: String? {
        guard !errors.isEmpty else { return nil }
        return errors.prefix(5).map { APIErrors.sentence($0.detail) }.joined(separator: " ")
    }
}

/// The error bodies of common frameworks that don't follow RFC 9457.
///
/// ```json
/// {"detail": "Not found."}
/// {"name": ["This field may not be blank."], "non_field_errors": ["…"]}
/// {"message": "Validation failed", "errors": [{"field": "name", "message": "must not be blank"}]}
/// {"error": "Not Found"}
/// {"errors": {"name": ["can't be blank"]}}
/// ```
private struct PlainErrorBody {
    private(set) var sentence: String?
    private var fields: [ProblemDetails.Field] = []
    /// The maximum length of a sentence shown, in characters.
    private static let limit = 500
    private static let maximumFields = 100
    private static let sentences = ["error_description", "detail", "message", "errorMessage", "title"]

    init(_ json: JSONValue?, text: [UInt8]) {
        guard let json else {
            sentence = Self.line(String(decoding: text.prefix(4 * Self.limit), as: UTF8.self))
            return
        }
        sentence =
            Self.sentences.lazy.compactMap { json[$0]?.stringValue }.first.flatMap(Self.line)
            ?? Self.errorSentence(json["error"]) ?? json.stringValue.flatMap(Self.line)
        if case .object(let object) = json {
            for member in object.members where member.key != "errors" { readField(member.key, member.value) }
        }
        readErrors(json["errors"])
    }

    /// The equivalent problem; nil if it names no fields.
    func problem(status: Int) -> ProblemDetails? {
        guard [400, 422].contains(status), !fields.isEmpty else { return nil }
        return ProblemDetails(status: status, detail: sentence, errors: fields)
    }

    /// The first line that is not blank.
    private static func line(_ text: String) -> String? {
        let line = text.split { $0.isNewline }.first { !$0.allSatisfy(\.isWhitespace) }
        return line.map { String($0.prefix(limit)) }
    }

    /// `"error"` as a text, or as an object with a message.
    private static func errorSentence(_ error: JSONValue?) -> String? {
        let text = error?.stringValue ?? error?["message"]?.stringValue ?? error?["detail"]?.stringValue
        return text.flatMap(line)
    }

    private mutating func readErrors(_ errors: JSONValue?) {
        switch errors {
        case .object(let object): for member in object.members { readField(member.key, member.value) }
        case .array(let items):
            for item in items {
                let name = item["field"]?.stringValue ?? item["attr"]?.stringValue
                let said = ["message", "defaultMessage", "detail", "msg"].lazy
                    .compactMap { item[$0]?.stringValue }.first
                if let said = said ?? item.stringValue { append(name, said) }
            }
        default: break
        }
    }

    /// Reads a member whose value is a list of sentences.
    private mutating func readField(_ name: String, _ value: JSONValue) {
        guard case .array(let items) = value else { return }
        for case .string(let text) in items {
            append(["non_field_errors", "base", "__all__"].contains(name) ? nil : name, text)
        }
    }

    /// Prefixes the field's name, which the sentences of such servers leave out.
    private mutating func append(_ name: String?, _ text: String) {
        guard fields.count < Self.maximumFields, let text = Self.line(text) else { return }
        let detail = name.map { "\($0.prefix(100)): \(text)" } ?? text
        fields.append(ProblemDetails.Field(field: name, detail: detail))
    }
}

/// Bodies with a nonzero member `errorCode`, which are errors with any status.
enum ErrorCodeBody {
    private struct Body: Decodable {
        let errorCode: Int
        let errorMsg: String?
    }

    static func handler(_ response: HTTPResponse) -> ResponseErrorHandler? {
        // Checked for every response: most have no such member and need no second decoding.
        guard mentionsCode(response.body),
            let body = try? JSONDecoder().decode(Body.self, from: Data(response.body)), body.errorCode != 0
        else { return nil }
        return ResponseErrorHandler(
            errorMsg: body.errorMsg ?? "", errorCode: body.errorCode, statusCode: response.status)
    }

    /// Searches for the `C`, which is rarer than the other letters.
    private static func mentionsCode(_ body: [UInt8]) -> Bool {
        let name = Array("\"errorCode\"".utf8)
        let offset = 6
        return body.withUnsafeBytes { bytes in
            var start = offset
            while start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(UInt8(ascii: "C")), bytes.count - start)
            {
                let index = base.distance(to: UnsafeRawPointer(found))
                if bytes[(index - offset)...].starts(with: name) { return true }
                start = index + 1
            }
            return false
        }
    }
}
