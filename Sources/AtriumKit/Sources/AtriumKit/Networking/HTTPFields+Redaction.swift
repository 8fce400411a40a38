// Requests are printed when a fault is looked for; what proves who somebody is must not be in it.

extension HTTPFields.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private static let secret: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "idempotency-key",
    ]

    /// The field as it stands on the wire; values that prove who somebody is are hidden.
    public var description: String {
        "\(name): \(Self.secret.contains(name.lowercased()) ? "(hidden)" : value)"
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}

extension HTTPBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How much it is, not what: `120 bytes`.
    public var description: String {
        switch self {
        case .none: "no body"
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .file(let path): "file \(path)"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the size of the body, whose content may be secret: `200, 120 bytes`.
    public var description: String { "\(status), \(body.count) bytes" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["status": status, "fields": fields]) }
}

extension TokenGrant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Who asks, without the password.
    public var description: String {
        switch self {
        case .password(let username, _): "password of \(username) (hidden)"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["grant": description]) }
}

extension APIBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What kind of body it is; the values of forms and JSON are hidden.
    public var description: String {
        switch self {
        case .none: "no body"
        case .json: "JSON (hidden)"
        case .form(let pairs): "a form of \(pairs.map(\.0).joined(separator: ", ")) (hidden)"
        case .file(let path, let type): "file \(path) of \(type)"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}
