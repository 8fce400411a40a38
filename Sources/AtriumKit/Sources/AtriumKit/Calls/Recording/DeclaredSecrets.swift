/// Hides what is secret by declaration in encoded values: secret fields of records, and members that a type leaves
/// out of its mirror.
///
/// Members of JSON are found by the names of properties, the cases of enums and the order of collections. A value with
/// such secrets and another form is refused. So is an object, whose storage may change on another thread.
enum DeclaredSecrets {
    /// A secret that can't be found in JSON.
    struct Unmatched: Error {}

    static let hidden = JSONValue.string("(hidden)")
    /// What is deeper may have secrets.
    private static let deepest = 32

    /// The JSON of a value without its secrets.
    ///
    /// Those that a recording hides by their names stay for it: it gives equal secrets equal stand-ins.
    ///
    /// - Throws: ``Unmatched``.
    static func hiding(_ json: JSONValue, of value: Any) throws -> JSONValue {
        guard json != .null, mayHold(value) else { return json }
        let mirror = Mirror(reflecting: value)
        switch (json, selectsMirror(value) ? .struct : mirror.displayStyle) {
        case (_, .optional):
            if let wrapped = mirror.children.first { return try hiding(json, of: wrapped.value) }
        case (.array(let items), .collection), (.array(let items), .set):
            return .array(try hiding(items, of: mirror.children.map(\.value)))
        case (.array(let items), .dictionary):
            return .array(try hiding(items, of: pairs(of: mirror).flatMap { [$0.key, $0.value] }))
        case (.object(let object), .dictionary):
            let pairs = pairs(of: mirror)
            if pairs.contains(where: { mayHold($0.key) }) { break }
            return .object(
                try hiding(object, of: Dictionary(pairs.map { (name(of: $0.key), $0.value) }) { $1 }))
        case (.object(let object), .enum):
            guard let payload = mirror.children.first, let name = payload.label,
                object.members.count == 1, case .object(let inner)? = object[name]
            else { break }
            return .object([name: .object(try hiding(inner, of: members(ofPayload: payload.value)))])
        case (.object(let object), .struct), (.object(let object), nil):
            return .object(try hiding(object, of: value, members(of: mirror)))
        default: break
        }
        throw Unmatched()
    }

    private static func hiding(_ items: [JSONValue], of values: [Any]) throws -> [JSONValue] {
        guard items.count == values.count else { throw Unmatched() }
        return try zip(items, values).map { try hiding($0, of: $1) }
    }

    /// Hides secrets in the members of an object; if one has no value, it may be that of another.
    private static func hiding(_ object: JSONObject, of values: [String: Any]) throws -> JSONObject {
        if values.contains(where: { object[$0.key] == nil && mayHold($0.value) }) { throw Unmatched() }
        return try object.members.reduce(into: [:]) { hiding, member in
            guard let value = values[member.key] else { throw Unmatched() }
            hiding[member.key] = try Self.hiding(member.value, of: value)
        }
    }

    private static func hiding(
        _ object: JSONObject, of value: Any, _ values: [String: Any]
    ) throws -> JSONObject {
        var values = values
        var secrets = try (value as? any Record).map { try members(of: $0, in: object) } ?? []
        if selectsMirror(value) {
            // The mirror may have another value instead, such as the last digits.
            secrets.formUnion(
                object.members.filter { member in
                    values[member.key].map { CallCoding.encoded($0) != member.value } ?? true
                }.map(\.key))
        }
        var rest = object
        for name in secrets {
            rest[name] = nil
            values[name] = nil
        }
        let others = try hiding(rest, of: values)
        return object.members.reduce(into: [:]) {
            $0[$1.key] = secrets.contains($1.key) ? hidden($1.value, $1.key) : others[$1.key]
        }
    }

    /// The names of the secret fields of a record, which have their values in the object.
    private static func members<Item: Record>(of record: Item, in object: JSONObject) throws -> Set<String> {
        let fields = Item.fields.all.filter(\.traits.isSecret)
        guard
            fields.allSatisfy({ field in
                let json = field.json(of: record)
                return object[field.name].map { $0 == CallCoding.encoded(json) } ?? (json == .null)
            })
        else { throw Unmatched() }
        return Set(fields.map(\.name))
    }

    /// The JSON that replaces a secret, which can be decoded as its type; itself if its name tells a recording to
    /// hide it.
    private static func hidden(_ json: JSONValue, _ name: String = "") -> JSONValue {
        if case .secret(let shortest) = SecretField(name) {
            if case .string(let text) = json, text.utf8.count >= shortest { return json }
            if case .integer(let number) = json, "\(number)".utf8.count >= shortest { return json }
        }
        switch json {
        case .string: return hidden
        case .integer, .number: return 0
        case .bool: return false
        case .null: return .null
        case .array: return []
        case .object(let object):
            return .object(object.members.reduce(into: [:]) { $0[$1.key] = hidden($1.value) })
        }
    }

    // MARK: - Mirrors

    /// True for a value that has secrets by declaration, or may have some.
    private static func mayHold(_ value: Any, depth: Int = 0) -> Bool {
        switch value {
        case is String, is Int, is Int64, is UInt8, is Bool, is Double, is JSONValue, is JSONObject:
            return false
        case let record as any Record where hasSecrets(record): return true
        default: break
        }
        let type = Swift.type(of: value)
        if isOfFoundation(type) { return false }
        if type is AnyClass || selectsMirror(value) { return true }
        let children = Mirror(reflecting: value).children
        return depth < deepest ? children.contains { mayHold($0.value, depth: depth + 1) } : !children.isEmpty
    }

    private static func hasSecrets<Item: Record>(_ record: Item) -> Bool {
        Item.fields.all.contains(where: \.traits.isSecret)
    }

    private static func isOfFoundation(_ type: any Any.Type) -> Bool {
        let name = String(reflecting: type)
        return name.hasPrefix("Foundation")
            && ["Foundation.", "FoundationEssentials.", "FoundationInternationalization."].contains(
                where: name.hasPrefix)
    }

    /// True for a value of a module's type that chooses what its mirror shows.
    private static func selectsMirror(_ value: Any) -> Bool {
        value is any CustomReflectable && !String(reflecting: type(of: value)).hasPrefix("Swift.")
    }

    /// The values of properties by name; the storage of a wrapper has the name of its property after `_`.
    private static func members(of mirror: Mirror) -> [String: Any] {
        let named = mirror.children.compactMap { child in child.label.map { ($0, child.value) } }
        let plain = Dictionary(named) { $1 }
        return Dictionary(
            named.map { name, value in
                let property = name.hasPrefix("_") ? String(name.dropFirst()) : name
                return (plain[property] == nil ? property : name, value)
            }
        ) { $1 }
    }

    /// The associated values of a case by the names that `Codable` gives them: `_0` for the first one without a label.
    private static func members(ofPayload payload: Any) -> [String: Any] {
        let mirror = Mirror(reflecting: payload)
        guard mirror.displayStyle == .tuple else { return ["_0": payload] }
        return Dictionary(
            mirror.children.compactMap { child in
                child.label.map { ($0.hasPrefix(".") ? "_\($0.dropFirst())" : $0, child.value) }
            }
        ) { $1 }
    }

    private static func pairs(of mirror: Mirror) -> [(key: Any, value: Any)] {
        mirror.children.compactMap { child in
            let pair = Array(Mirror(reflecting: child.value).children.map(\.value))
            return pair.count == 2 ? (pair[0], pair[1]) : nil
        }
    }

    private static func name(of key: Any) -> String {
        (key as? any CodingKeyRepresentable)?.codingKey.stringValue ?? "\(key)"
    }
}
