/// Encodes arguments and results of services, and decodes results.
///
/// Records and their pages are encoded by their fields, other values as `Codable` does, both without what is secret
/// by declaration.
enum CallCoding {
    static let hidden = JSONValue.string("(hidden)")

    /// True if a result of the type can be encoded and decoded.
    static func canCode(_ type: any Any.Type) -> Bool {
        if type == Void.self || type is any Record.Type { return true }
        if let coded = type as? any CallCoded.Type { return coded.canBeCoded }
        return type is any Encodable.Type && type is any Decodable.Type
    }

    /// The value as JSON; nil if it can't be encoded.
    static func json(of value: Any) -> JSONValue? {
        if value is Void { return .null }
        if let record = value as? any Record { return .object(record.exchanged) }
        if let coded = value as? any CallCoded { return coded.callJSON }
        guard let value = value as? any Encodable, let text = try? StateCoding.encode(value),
            let json = try? StateCoding.decode(JSONValue.self, from: text)
        else { return nil }
        // The order of a set differs in each process.
        if case .array(let items) = json, Mirror(reflecting: value).displayStyle == .set {
            return .array(items.sorted { $0.serialized < $1.serialized })
        }
        return hidingSecrets(json, of: value)
    }

    /// - Throws: An error if the JSON is no value of the type.
    static func value<Value>(_ type: Value.Type, from json: JSONValue) throws -> Value {
        func cast<Other>(_ value: Other) throws -> Value {
            guard let value = value as? Value else { throw Misfit() }
            return value
        }
        if type == Void.self { return try cast(()) }
        if let type = type as? any Record.Type { return try cast(try record(type, json)) }
        if let type = type as? any CallCoded.Type { return try cast(try coded(type, json)) }
        guard let type = type as? any Decodable.Type else { throw Misfit() }
        return try cast(try StateCoding.decode(type, from: json.serialized))
    }

    /// JSON that is no value of a type.
    struct Misfit: Error {}

    private static func coded<Coded: CallCoded>(_ type: Coded.Type, _ json: JSONValue) throws -> Any {
        try Coded(callJSON: json)
    }

    fileprivate static func record<Item: Record>(_ type: Item.Type, _ json: JSONValue) throws -> Item {
        guard case .object(let object) = json, let id = object["id"].flatMap({ Item.ID(json: $0) }) else {
            throw Misfit()
        }
        do { return try Item(id: id, object) } catch { throw Misfit() }
    }

    // MARK: - Secrets by declaration

    /// Hides secret fields of records, and members that a type leaves out of its mirror; those with the names of
    /// secrets stay for the recording, which gives each secret its own stand-in.
    private static func hidingSecrets(_ json: JSONValue, of value: Any) -> JSONValue {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { hidingSecrets(json, of: $0.value) } ?? json
        }
        switch (json, mirror.displayStyle) {
        case (.array(let items), .collection) where items.count == mirror.children.count:
            return .array(zip(items, mirror.children).map { hidingSecrets($0, of: $1.value) })
        case (.object(let object), .dictionary):
            let pairs = mirror.children.map { Mirror(reflecting: $0.value).children.map(\.value) }
            let values = Dictionary(pairs.map { ("\($0[0])", $0[1]) }) { $1 }
            return .object(
                object.members.reduce(into: [:]) { hiding, member in
                    hiding[member.key] =
                        values[member.key].map { hidingSecrets(member.value, of: $0) } ?? member.value
                })
        case (.object(let object), .struct), (.object(let object), nil):
            return .object(hidingMembers(object, of: value, mirror))
        default: return json
        }
    }

    private static func hidingMembers(_ object: JSONObject, of value: Any, _ mirror: Mirror) -> JSONObject {
        let secrets = (value as? any Record).map { secretFields(of: $0) } ?? []
        let isSelected = value is any CustomReflectable
        let children = Dictionary(
            mirror.children.compactMap { child in child.label.map { ($0, child.value) } }
        ) { $1 }
        return object.members.reduce(into: [:]) { hiding, member in
            let child = children[member.key] ?? children["_\(member.key)"]
            let isReplaced = (child as? String).map { .string($0) != member.value } ?? (child == nil)
            let isHidden = secrets.contains(member.key) || isSelected && isReplaced
            hiding[member.key] =
                isHidden && !SecretField(member.key).isSecret
                ? hidden(member.value) : child.map { hidingSecrets(member.value, of: $0) } ?? member.value
        }
    }

    private static func secretFields<Item: Record>(of record: Item) -> Set<String> {
        Set(Item.fields.all.filter(\.traits.isSecret).map(\.name))
    }

    private static func hidden(_ json: JSONValue) -> JSONValue {
        switch json {
        case .string: hidden
        case .integer, .number: 0
        case .array: []
        case .null, .bool, .object: .null
        }
    }
}

// MARK: - Types of the kit

/// A type whose values are encoded for recordings in a form of their own.
private protocol CallCoded {
    static var canBeCoded: Bool { get }
    init(callJSON: JSONValue) throws
    /// Nil if it can't be encoded.
    var callJSON: JSONValue? { get }
}

extension Optional: CallCoded {
    fileprivate static var canBeCoded: Bool { CallCoding.canCode(Wrapped.self) }

    fileprivate init(callJSON: JSONValue) throws {
        self = callJSON == .null ? nil : try CallCoding.value(Wrapped.self, from: callJSON)
    }

    fileprivate var callJSON: JSONValue? {
        if let value = self { return CallCoding.json(of: value) }
        return Self.canBeCoded || Wrapped.self is any Encodable.Type ? .null : nil
    }
}

extension Array: CallCoded where Element: Record {
    fileprivate static var canBeCoded: Bool { true }

    fileprivate init(callJSON: JSONValue) throws {
        guard case .array(let items) = callJSON else { throw CallCoding.Misfit() }
        self = try items.map { try CallCoding.record(Element.self, $0) }
    }

    fileprivate var callJSON: JSONValue? { .array(map { .object($0.exchanged) }) }
}

extension RecordPage: CallCoded {
    fileprivate static var canBeCoded: Bool { true }

    fileprivate init(callJSON: JSONValue) throws {
        guard let rows = callJSON["rows"], let total = callJSON["total"].flatMap({ Int(json: $0) }),
            total >= 0
        else { throw CallCoding.Misfit() }
        let records = try [Item](callJSON: rows)
        self =
            callJSON["isTotalKnown"] == false
            ? RecordPage(rows: records, atLeast: total) : RecordPage(rows: records, total: total)
    }

    fileprivate var callJSON: JSONValue? {
        var object: JSONObject = ["total": .integer(Int64(total)), "rows": rows.callJSON ?? []]
        if !isTotalKnown { object["isTotalKnown"] = false }
        return .object(object)
    }
}

extension RecordChanges: CallCoded {
    /// False: it is an argument only.
    fileprivate static var canBeCoded: Bool { false }

    fileprivate init(callJSON: JSONValue) throws { throw CallCoding.Misfit() }

    /// The new values.
    fileprivate var callJSON: JSONValue? {
        let record = applied(to: base ?? Item())
        return .object(
            fields.reduce(into: [:]) {
                $0[$1.name] = $1.traits.isSecret ? CallCoding.hidden : $1.json(of: record)
            })
    }
}

extension RecordValuesQuery: CallCoded {
    /// False: it is an argument only.
    fileprivate static var canBeCoded: Bool { false }

    fileprivate init(callJSON: JSONValue) throws { throw CallCoding.Misfit() }

    fileprivate var callJSON: JSONValue? {
        ["field": .string(field), "sort": .string(sort.rawValue), "limit": .integer(Int64(limit))]
    }
}
