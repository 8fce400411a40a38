/// Encodes arguments and results of services, and decodes results.
///
/// Records and their pages are encoded by their fields, other values as `Codable` does, both without what is secret
/// by declaration.
enum CallCoding {
    /// True if a result of the type can be encoded and decoded.
    static func canCode(_ type: any Any.Type) -> Bool {
        if type == Void.self || type is any Record.Type { return true }
        if let coded = type as? any CallCoded.Type { return coded.canBeCoded }
        return type is any Encodable.Type && type is any Decodable.Type
    }

    /// The reason that a value is not encoded, completing "the value".
    struct Obstacle: Error { let reason: String }

    /// The value as JSON, without what is secret by declaration.
    ///
    /// - Throws: ``Obstacle`` if it can't be encoded, or not without its secrets.
    static func json(of value: Any) throws -> JSONValue {
        if value is Void { return .null }
        if let record = value as? any Record { return .object(record.exchanged) }
        if let coded = value as? any CallCoded { return try coded.callJSON }
        let type = RegistrationKey.name(of: type(of: value))
        guard let json = encoded(value) else { throw Obstacle(reason: "can't be encoded: \(type)") }
        let hidden: JSONValue
        do { hidden = try DeclaredSecrets.hiding(json, of: value) } catch {
            throw Obstacle(reason: "may have secrets that can't be found in its JSON: \(type)")
        }
        // The order of a set differs in each process.
        if case .array(let items) = hidden, Mirror(reflecting: value).displayStyle == .set {
            return .array(items.sorted { $0.serialized < $1.serialized })
        }
        return hidden
    }

    /// The value as `Codable` encodes it, with its secrets; nil if it can't be encoded.
    static func encoded(_ value: Any) -> JSONValue? {
        guard let value = value as? any Encodable, let text = try? StateCoding.encode(value)
        else { return nil }
        return try? StateCoding.decode(JSONValue.self, from: text)
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
}

// MARK: - Types of the kit

/// A type whose values are encoded for recordings in a form of their own.
private protocol CallCoded {
    static var canBeCoded: Bool { get }
    init(callJSON: JSONValue) throws
    /// - Throws: ``CallCoding/Obstacle``.
    var callJSON: JSONValue { get throws }
}

extension Optional: CallCoded {
    fileprivate static var canBeCoded: Bool { CallCoding.canCode(Wrapped.self) }

    fileprivate init(callJSON: JSONValue) throws {
        self = callJSON == .null ? nil : try CallCoding.value(Wrapped.self, from: callJSON)
    }

    fileprivate var callJSON: JSONValue {
        get throws {
            if let value = self { return try CallCoding.json(of: value) }
            guard Self.canBeCoded || Wrapped.self is any Encodable.Type else {
                throw CallCoding.Obstacle(reason: "can't be encoded: \(RegistrationKey.name(of: Self.self))")
            }
            return .null
        }
    }
}

extension Array: CallCoded where Element: Record {
    fileprivate static var canBeCoded: Bool { true }

    fileprivate init(callJSON: JSONValue) throws {
        guard case .array(let items) = callJSON else { throw CallCoding.Misfit() }
        self = try items.map { try CallCoding.record(Element.self, $0) }
    }

    fileprivate var callJSON: JSONValue { .array(map { .object($0.exchanged) }) }
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

    fileprivate var callJSON: JSONValue {
        var object: JSONObject = ["total": .integer(Int64(total)), "rows": rows.callJSON]
        if !isTotalKnown { object["isTotalKnown"] = false }
        return .object(object)
    }
}

extension RecordChanges: CallCoded {
    /// False: it is an argument only.
    fileprivate static var canBeCoded: Bool { false }

    fileprivate init(callJSON: JSONValue) throws { throw CallCoding.Misfit() }

    /// The new values.
    fileprivate var callJSON: JSONValue {
        let record = applied(to: base ?? Item())
        return .object(
            fields.reduce(into: [:]) {
                $0[$1.name] = $1.traits.isSecret ? DeclaredSecrets.hidden : $1.json(of: record)
            })
    }
}

extension RecordValuesQuery: CallCoded {
    /// False: it is an argument only.
    fileprivate static var canBeCoded: Bool { false }

    fileprivate init(callJSON: JSONValue) throws { throw CallCoding.Misfit() }

    fileprivate var callJSON: JSONValue {
        ["field": .string(field), "sort": .string(sort.rawValue), "limit": .integer(Int64(limit))]
    }
}
