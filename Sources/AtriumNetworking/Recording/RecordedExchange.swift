@_spi(Host) internal import AtriumKit
internal import FoundationEssentials

/// A request and its answer, as an entry of an HTTP Archive (HAR 1.2,
/// http://www.softwareishard.com/blog/har-12-spec/).
struct RecordedExchange: Sendable {
    /// The start of the request, in RFC 3339 format.
    var start: String
    var milliseconds: Int64
    var method: String
    var url: String
    var requestFields: HTTPFields
    var requestBody: Body
    /// 0 if there was no answer.
    var status: Int
    var responseFields = HTTPFields()
    var responseBody = Body.none
    /// The reason that there was no answer.
    var failure: TransportError?

    /// The body of a message.
    enum Body: Sendable {
        case none
        case text(String)
        /// Not UTF-8.
        case bytes([UInt8])
        case form(RecordedForm)
        /// Not in the archive; with the number of bytes.
        case missing(Int)

        init(_ bytes: [UInt8]) {
            guard !bytes.isEmpty else {
                self = .none
                return
            }
            self = String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(bytes)
        }

        /// A text of an archive, perhaps in Base64; nil if there is none, or it is no Base64.
        init?(_ text: String?, _ encoding: String?) {
            guard let text else { return nil }
            guard encoding == "base64" else {
                self.init(Array(text.utf8))
                return
            }
            guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else { return nil }
            self.init(Array(data))
        }

        /// The same, as a form if it is one of this content type.
        func asForm(_ contentType: String?) -> Body {
            guard let contentType, let bytes, let form = RecordedForm(bytes, contentType: contentType) else {
                return self
            }
            return .form(form)
        }

        /// The bytes; nil if they are not known.
        var bytes: [UInt8]? {
            switch self {
            case .none: []
            case .text(let text): Array(text.utf8)
            case .bytes(let bytes): bytes
            case .form, .missing: nil
            }
        }
    }

    /// The request without secrets: `GET http://127.0.0.1:8787/v1/entities?page=1`.
    var name: String { "\(method) \(url)" }
}

// MARK: - Writing

extension RecordedExchange: RecordedEntry {
    var line: String { json.serialized }

    func hidden(by walk: SecretWalk) -> RecordedExchange { walk(self) }

    /// The entry of an archive.
    var json: JSONValue {
        var response: JSONValue = [
            "status": .integer(Int64(status)), "statusText": "", "httpVersion": "", "cookies": [],
            "headers": Self.json(responseFields), "content": content, "redirectURL": "", "headersSize": -1,
            "bodySize": -1,
        ]
        if let failure, case .object(var object) = response {
            object["_error"] = [
                "code": .string(failure.code.rawValue), "message": .string(failure.message),
                "hint": failure.hint.map { .string($0) } ?? .null, "neverSent": .bool(failure.neverSent),
            ]
            response = .object(object)
        }
        return [
            "startedDateTime": .string(start), "time": .integer(milliseconds), "request": request,
            "response": response, "cache": .object([:]),
            "timings": ["send": 0, "wait": .integer(milliseconds), "receive": 0],
        ]
    }

    private var request: JSONValue {
        let query = url.firstIndex(of: "?").map { String(url[url.index(after: $0)...]) } ?? ""
        var request: JSONObject = [
            "method": .string(method), "url": .string(url), "httpVersion": "", "cookies": [],
            "headers": Self.json(requestFields),
            "queryString": .array(query.split(separator: "&").map(Self.pair)),
            "headersSize": -1, "bodySize": .integer(Int64(requestBody.bytes?.count ?? -1)),
        ]
        let type = JSONValue.string(requestFields["Content-Type"] ?? "")
        switch requestBody {
        case .none: break
        case .text(let text): request["postData"] = ["mimeType": type, "text": .string(text)]
        case .bytes(let bytes):
            // HAR has no encoding for requests; members of an application begin with an underscore.
            let text = Data(bytes).base64EncodedString()
            request["postData"] = ["mimeType": type, "text": .string(text), "_encoding": "base64"]
        case .form(let form): request["postData"] = ["mimeType": type, "params": form.json]
        case .missing(let count):
            request["postData"] = ["mimeType": type, "text": "", "comment": .string("\(count) bytes")]
        }
        return .object(request)
    }

    private var content: JSONValue {
        let type = JSONValue.string(responseFields["Content-Type"] ?? "")
        return switch responseBody {
        case .none, .form: ["size": 0, "mimeType": type, "text": ""]
        case .text(let text):
            ["size": .integer(Int64(text.utf8.count)), "mimeType": type, "text": .string(text)]
        case .bytes(let bytes):
            [
                "size": .integer(Int64(bytes.count)), "mimeType": type,
                "text": .string(Data(bytes).base64EncodedString()), "encoding": "base64",
            ]
        case .missing(let count): ["size": .integer(Int64(count)), "mimeType": type]
        }
    }

    private static func json(_ fields: HTTPFields) -> JSONValue {
        .array(fields.fields.map { pair($0.name, $0.value) })
    }

    private static func pair(_ item: Substring) -> JSONValue {
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
            AtriumKit.PercentEncoding.decodeForm(String($0)) ?? String($0)
        }
        return pair(parts[0], parts.count > 1 ? parts[1] : "")
    }

    private static func pair(_ name: String, _ value: String) -> JSONValue {
        ["name": .string(name), "value": .string(value)]
    }
}

// MARK: - Reading

extension RecordedExchange {
    /// Reads an entry of any program; nil if it lacks the method, the URL or the status.
    init?(_ json: JSONValue) {
        guard let request = json["request"], let response = json["response"],
            let method = request["method"]?.stringValue, let url = request["url"]?.stringValue,
            let status = response["status"]?.wholeNumber, (0...599).contains(status)
        else { return nil }
        start = json["startedDateTime"]?.stringValue ?? ""
        milliseconds = Int64(json["time"]?.wholeNumber ?? 0)
        self.method = method.uppercased()
        self.url = String(url.prefix { $0 != "#" })
        requestFields = Self.fields(request["headers"])
        requestBody = Self.requestBody(request["postData"], requestFields["Content-Type"])
        self.status = status
        responseFields = Self.fields(response["headers"])
        // The archive has the body as it was before compression and chunks.
        for name in ["Content-Encoding", "Content-Length", "Transfer-Encoding"] { responseFields[name] = nil }
        responseBody = Self.body(response["content"], encoding: "encoding")
        if status < 100 { failure = Self.failure(response["_error"]) }
    }

    private static func fields(_ json: JSONValue?) -> HTTPFields {
        guard case .array(let items)? = json else { return HTTPFields() }
        return items.reduce(into: HTTPFields()) { fields, item in
            // Browsers list the parts of a request line of HTTP/2 as fields: ":path".
            guard let name = item["name"]?.stringValue, let value = item["value"]?.stringValue,
                !name.isEmpty, !name.hasPrefix(":")
            else { return }
            fields.append(name, value)
        }
    }

    private static func requestBody(_ json: JSONValue?, _ field: String?) -> Body {
        let type = json?["mimeType"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } ?? field
        guard json?["text"]?.stringValue == nil, case .array(let params)? = json?["params"] else {
            // Other programs write a form of several parts as text.
            return body(json, encoding: "_encoding").asForm(type)
        }
        guard type?.lowercased().hasPrefix("multipart/") != true else {
            return .form(RecordedForm(params: params))
        }
        let pairs = params.map { ($0["name"]?.stringValue ?? "", $0["value"]?.stringValue ?? "") }
        return Body(PercentEncoding.form(pairs))
    }

    private static func body(_ json: JSONValue?, encoding: String) -> Body {
        let size = json?["size"]?.wholeNumber ?? 0
        guard let text = json?["text"]?.stringValue, !text.isEmpty || size <= 0 else {
            return size > 0 ? .missing(size) : .none
        }
        return Body(text, json?[encoding]?.stringValue) ?? .missing(max(size, 1))
    }

    private static func failure(_ json: JSONValue?) -> TransportError {
        let isOurs = json?["code"]?.stringValue != nil
        return TransportError(
            json?["code"]?.stringValue.map { ErrorCode(rawValue: $0) } ?? .connectionLost,
            json?["message"]?.stringValue ?? json?.stringValue ?? "There was no answer.",
            hint: json?["hint"]?.stringValue, neverSent: isOurs && json?["neverSent"] == true)
    }
}

extension JSONValue {
    /// The number, of which some programs write whole ones with a fraction.
    fileprivate var wholeNumber: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .number(let number): Int(exactly: number.rounded())
        default: nil
        }
    }
}
