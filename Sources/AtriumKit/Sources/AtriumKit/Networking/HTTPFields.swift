/// The header fields of a request or a response, in order; names match in any case.
public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The fields as on the wire.
    public private(set) var fields: [Field] = []

    public init() {}

    /// Creates fields in the order of the literal; a name may occur several times.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// The value of the fields called `name`, joined by commas if there are several (RFC 9110, 5.3);
    /// setting it replaces all of them, and nil removes them.
    public subscript(name: String) -> String? {
        get {
            var joined: String?
            for field in fields where Self.isSame(field.name, name) {
                joined = joined.map { "\($0), \(field.value)" } ?? field.value
            }
            return joined
        }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// Adds a field at the end.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// A name and its value.
    public struct Field: Sendable, Hashable {
        public let name: String
        public let value: String

        /// Creates a header field or a query item, not encoded.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
    }
}

// Printed requests must not reveal credentials.

extension HTTPFields.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private static let secret: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "idempotency-key",
    ]

    /// The field as on the wire; credentials are hidden.
    public var description: String { "\(name): \(shownValue)" }

    /// The value; `(hidden)` for credentials.
    @_spi(Host) public var shownValue: String {
        Self.secret.contains(name.lowercased()) || SecretName.matches(name) ? "(hidden)" : value
    }

    public var debugDescription: String { description }
    /// A mirror of the description alone, so that `dump` reveals no credential.
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}

extension HTTPBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size, not the content: `120 bytes`.
    public var description: String {
        switch self {
        case .none: "no body"
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .file(let path): "file \(path)"
        }
    }

    public var debugDescription: String { description }
    /// A mirror of the description alone, so that `dump` does not reveal the content.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the size of the body, whose content may be secret: `200, 120 bytes`.
    public var description: String { "\(status), \(body.count) bytes" }
    public var debugDescription: String { description }
    /// A mirror without the body, so that `dump` does not reveal the content.
    public var customMirror: Mirror { Mirror(self, children: ["status": status, "fields": fields]) }
}

extension TokenGrant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, without the password.
    public var description: String {
        switch self {
        case .password(let username, _): "password of \(username) (hidden)"
        }
    }

    public var debugDescription: String { description }
    /// A mirror of the description alone, so that `dump` does not reveal the password.
    public var customMirror: Mirror { Mirror(self, children: ["grant": description]) }
}

extension APIBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of body; the values of forms and JSON are hidden.
    public var description: String {
        switch self {
        case .none: "no body"
        case .json: "JSON (hidden)"
        case .form(let pairs): "a form of \(pairs.map(\.0).joined(separator: ", ")) (hidden)"
        case .file(let path, let type): "file \(path) of \(type)"
        }
    }

    public var debugDescription: String { description }
    /// A mirror of the description alone, so that `dump` does not reveal the values.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}
