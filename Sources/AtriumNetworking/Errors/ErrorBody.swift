@_spi(Host) internal import AtriumKit
internal import FoundationEssentials
internal import Glibc

/// The error description in the body of a response, in any form in common use.
struct ErrorBody {
    /// A problem of RFC 9457, or the equivalent from other forms: a sentence, and findings with their fields.
    let problem: ProblemDetails?
    let handler: ResponseErrorHandler?
    /// The name of an error of a token endpoint (RFC 6749, 5.2).
    let oauth: String?
    let isJSON: Bool
    /// The server's sentence, with a full stop; nil if there is none.
    let sentence: String?

    init(_ response: HTTPResponse, redact: Redactor) {
        let data = Data(response.body)
        let type = MediaType(response.fields)
        handler = ErrorCodeBody.handler(response)?.redacted(redact)
        let json = try? JSONDecoder().decode(JSONValue.self, from: data)
        isJSON = json != nil
        oauth = json?["error"]?.stringValue.flatMap { Self.oauthErrors.contains($0) ? $0 : nil }
        let isProblem = type?.isProblem ?? false
        let text = json == nil && type?.name == "text/plain" ? response.body : []
        let body = PlainErrorBody(json, text: text, isProblem: isProblem, redact: redact)
        let described = isProblem ? try? JSONDecoder().decode(ProblemDetails.self, from: data) : nil
        problem = described?.redacted(redact).naming(body.fields) ?? body.problem(status: response.status)
        let said = problem?.detail ?? problem?.title ?? handler?.errorMsg ?? body.sentence ?? body.fieldText
        sentence = said.flatMap { $0.isEmpty ? nil : APIErrors.sentence($0) }
    }

    private static let oauthErrors: Set = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope",
    ]
}

extension ProblemDetails {
    /// The problem with the fields of another form, if it names none in its own.
    fileprivate func naming(_ fields: [Field]) -> ProblemDetails {
        guard !fields.isEmpty, errors.allSatisfy({ $0.field == nil && $0.line == nil }) else { return self }
        return ProblemDetails(
            type: type, title: title, status: status, detail: detail, instance: instance, errors: fields,
            extensions: extensions)
    }
}

/// The error bodies of common frameworks.
///
/// ```json
/// {"detail": "Not found."}
/// {"name": ["This field may not be blank."], "address": {"city": ["…"]}, "non_field_errors": ["…"]}
/// {"detail": [{"loc": ["body", "name"], "msg": "Field required"}]}
/// {"message": "Validation failed", "errors": [{"field": "name", "message": "must not be blank"}]}
/// {"error": "Not Found"}
/// {"error": {"message": "…", "details": [{"target": "name", "message": "…"}]}}
/// {"errors": {"name": ["can't be blank"]}}
/// {"errors": [{"detail": "can't be blank", "source": {"pointer": "/data/attributes/name"}}]}
/// ```
///
/// The last two occur in problems of RFC 9457 too: ASP.NET has `"errors": {"Name": […]}`, others a pointer.
private struct PlainErrorBody {
    private(set) var sentence: String?
    private(set) var fields: [ProblemDetails.Field] = []
    private let redact: Redactor
    /// True if names begin with a capital letter where members don't, as those of ASP.NET do.
    private let hasPropertyNames: Bool
    /// The maximum length of a sentence shown, in characters.
    private static let limit = 500
    private static let maximumFields = 100
    private static let maximumDepth = 8
    private static let sentences = ["error_description", "detail", "message", "errorMessage", "title"]

    init(_ json: JSONValue?, text: [UInt8], isProblem: Bool, redact: Redactor) {
        (self.redact, hasPropertyNames) = (redact, isProblem)
        guard let json else {
            sentence = line(String(decoding: text.prefix(8 * Self.limit), as: UTF8.self))
            return
        }
        sentence =
            Self.sentences.lazy.compactMap { json[$0]?.stringValue }.first.flatMap(line)
            ?? errorSentence(json["error"]) ?? errorSentence(json["detail"]) ?? json.stringValue.flatMap(line)
        if case .object(let object) = json, !isProblem {
            for member in object.members where !["errors", "error", "detail"].contains(member.key) {
                readField(member.key, member.value)
            }
        }
        for list in [json["detail"], json["errors"], json["error"]?["details"]] { readErrors(list) }
    }

    /// The equivalent problem; nil if it names no fields.
    func problem(status: Int) -> ProblemDetails? {
        guard [400, 422].contains(status), !fields.isEmpty else { return nil }
        return ProblemDetails(status: status, detail: sentence, errors: fields)
    }

    var fieldText: String? {
        guard !fields.isEmpty else { return nil }
        return fields.prefix(5).map { APIErrors.sentence($0.detail) }.joined(separator: " ")
    }

    /// The first line that is not blank, without secrets.
    private func line(_ text: String) -> String? {
        let line = text.split { $0.isNewline }.first { !$0.allSatisfy(\.isWhitespace) }
        return line.map { String(redact(String($0.prefix(8 * Self.limit))).prefix(Self.limit)) }
    }

    /// `"error"` as a text, or as an object with a message, which OData has also had as an object.
    private func errorSentence(_ error: JSONValue?) -> String? {
        let message = error?["message"]
        let text =
            error?.stringValue ?? message?.stringValue ?? message?["value"]?.stringValue
            ?? error?["detail"]?.stringValue
        return text.flatMap(line)
    }

    private mutating func readErrors(_ errors: JSONValue?) {
        switch errors {
        case .object(let object): for member in object.members { readField(member.key, member.value) }
        case .array(let items):
            for item in items.prefix(Self.maximumFields) {
                let said = ["message", "defaultMessage", "detail", "msg", "title"].lazy
                    .compactMap { item[$0]?.stringValue }.first
                if let said = said ?? item.stringValue { append(Self.name(in: item), said) }
            }
        default: break
        }
    }

    /// The field that an item of a list of errors is about.
    private static func name(in item: JSONValue) -> String? {
        if case .array(let location)? = item["loc"] {
            let isPart = ["body", "query", "path", "header", "cookie"].contains(location.first?.stringValue)
            return path(location.dropFirst(isPart ? 1 : 0).map { $0.stringValue ?? $0.serialized })
        }
        let pointer = item["source"]?["pointer"] ?? item["pointer"] ?? item["target"]
        if let names = pointer?.stringValue?.split(whereSeparator: { "/#".contains($0) }).map(String.init) {
            let isResource =
                names.first == "data" && ["attributes", "relationships"].contains(names.dropFirst().first)
            return path(names.dropFirst(isResource ? 2 : names == ["data"] ? 1 : 0))
        }
        return ["field", "attr", "attribute"].lazy.compactMap { item[$0]?.stringValue }.first
            ?? item["source"]?["parameter"]?.stringValue
    }

    /// Joins names as JavaScript does: `items[1].name`; nil without any.
    private static func path(_ names: some Sequence<String>) -> String? {
        let text = names.reduce(into: "") { text, name in
            if Int(name) != nil { text += "[\(name)]" } else { text += text.isEmpty ? name : ".\(name)" }
        }
        return text.isEmpty ? nil : text
    }

    /// Reads a member whose value is a list of sentences, or has such members or items.
    private mutating func readField(_ name: String, _ value: JSONValue, depth: Int = 0) {
        guard depth < Self.maximumDepth, fields.count < Self.maximumFields else { return }
        switch value {
        case .array(let items):
            for (index, item) in items.enumerated() {
                if case .string(let text) = item {
                    append(name, text)
                } else {
                    readField("\(name)[\(index)]", item, depth: depth + 1)
                }
            }
        case .object(let object):
            for member in object.members {
                readField("\(name).\(member.key)", member.value, depth: depth + 1)
            }
        default: break
        }
    }

    /// Prefixes the field's name, which the sentences of most servers leave out.
    private mutating func append(_ name: String?, _ text: String) {
        guard fields.count < Self.maximumFields, let text = line(text) else { return }
        let name = name.flatMap { shown($0) }
        let isNamed = name.map { text.lowercased().contains($0.lowercased()) } ?? true
        fields.append(ProblemDetails.Field(field: name, detail: isNamed ? text : "\(name ?? ""): \(text)"))
    }

    /// The name of a field without secrets; nil if it stands for the whole.
    private func shown(_ name: String) -> String? {
        let names = name.split(separator: ".").map { name in
            hasPropertyNames ? name.prefix(1).lowercased() + name.dropFirst() : String(name)
        }.filter { $0 != "$" && !["non_field_errors", "base", "__all__"].contains($0) }
        return names.isEmpty ? nil : String(redact(names.joined(separator: ".")).prefix(100))
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
