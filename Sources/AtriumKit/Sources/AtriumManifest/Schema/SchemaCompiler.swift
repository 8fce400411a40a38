/// Turns the JSON of a schema into nodes.
struct SchemaCompiler {
    private let root: LocatedJSON
    private var nodes: [JSONSchema.Node?] = []

    /// The names in `$defs`; the first is node 1.
    private let definitions: [String]

    init(_ root: LocatedJSON) {
        self.root = root
        definitions = (root["$defs"]?.members ?? []).map(\.key)
    }

    /// Compiles the root and its definitions.
    mutating func compile() throws(SchemaError) -> [JSONSchema.Node] {
        let definitions = root["$defs"]?.members ?? []
        nodes = Array(repeating: nil, count: definitions.count + 1)
        for (index, definition) in definitions.enumerated() {
            nodes[index + 1] = JSONSchema.Node(try constraints(of: definition.value))
        }
        nodes[0] = JSONSchema.Node(try constraints(of: root, isRoot: true))
        let compiled = nodes.compactMap(\.self)
        try refuseEndlessReferences(in: compiled)
        return compiled
    }

    private mutating func add(_ schema: LocatedJSON) throws(SchemaError) -> Int {
        let constraints = try constraints(of: schema)
        nodes.append(JSONSchema.Node(constraints))
        return nodes.count - 1
    }

    private mutating func constraints(
        of schema: LocatedJSON, isRoot: Bool = false
    ) throws(SchemaError) -> JSONSchema.Constraints {
        var result = JSONSchema.Constraints()
        if schema.content == .bool(true) { return result }
        guard case .object(let members) = schema.content else { throw expected("an object", at: schema) }
        for member in members where !(isRoot && member.key == "$defs") {
            try apply(member, to: &result)
        }
        return result
    }

    private mutating func apply(
        _ member: LocatedJSON.Member, to result: inout JSONSchema.Constraints
    ) throws(SchemaError) {
        let value = member.value
        switch member.key {
        case "$ref": result.reference = try reference(value)
        case "type": result.types = try types(value)
        case "enum": result.allowed = try items(of: value).map(ManifestValue.init)
        case "required": result.required = try texts(value)
        case "properties": result.properties = try properties(value)
        case "additionalProperties":
            result.additional = value.content == .bool(false) ? .forbidden : .constrained(try add(value))
        case "propertyNames": result.propertyNames = try add(value)
        case "pattern": result.pattern = try pattern(value)
        case "minLength": result.minimumLength = try count(value)
        case "items": result.items = try add(value)
        case "minItems": result.minimumItems = try count(value)
        case "uniqueItems": result.itemsAreUnique = try bool(value)
        case "minimum": result.minimum = try number(value)
        case "maximum": result.maximum = try number(value)
        case "title": result.title = try text(value)
        case "description": result.summary = try text(value)
        case "examples": result.example = try items(of: value).first?.text
        case "$schema", "$id", "$comment", "default": break
        default:
            throw SchemaError(
                position: member.keyPosition,
                message: "Keyword \(Wording.quoted(member.key)) is not supported here.")
        }
    }

    private mutating func properties(_ value: LocatedJSON) throws(SchemaError) -> [JSONSchema.Property] {
        guard case .object(let members) = value.content else { throw expected("an object", at: value) }
        var properties: [JSONSchema.Property] = []
        for member in members {
            properties.append(JSONSchema.Property(key: member.key, node: try add(member.value)))
        }
        return properties
    }

    private func reference(_ value: LocatedJSON) throws(SchemaError) -> Int {
        let prefix = "#/$defs/"
        let target = try text(value)
        if target == "#" { return 0 }
        guard target.hasPrefix(prefix),
            let index = definitions.firstIndex(of: String(target.dropFirst(prefix.count)))
        else {
            throw SchemaError(
                position: value.position,
                message: "\(Wording.quoted(target)) does not name a schema in $defs.")
        }
        return index + 1
    }

    /// A chain of references that comes back to where it started would never end.
    private func refuseEndlessReferences(in nodes: [JSONSchema.Node]) throws(SchemaError) {
        for start in nodes.indices {
            var node = start
            var steps = 0
            while let next = nodes[node].constraints.reference {
                (node, steps) = (next, steps + 1)
                if steps > nodes.count {
                    throw SchemaError(position: root.position, message: "A $ref leads back to itself.")
                }
            }
        }
    }
}

/// The values of keywords.
extension SchemaCompiler {
    private func types(_ value: LocatedJSON) throws(SchemaError) -> [JSONSchema.TypeName] {
        var types: [JSONSchema.TypeName] = []
        let names = value.text == nil ? try texts(value) : [try text(value)]
        for name in names {
            guard let type = JSONSchema.TypeName(rawValue: name) else {
                throw SchemaError(position: value.position, message: "\(Wording.quoted(name)) is not a type.")
            }
            types.append(type)
        }
        return types
    }

    private func pattern(_ value: LocatedJSON) throws(SchemaError) -> Pattern {
        let source = try text(value)
        do {
            return try Pattern(source)
        } catch {
            throw SchemaError(position: value.position, message: error.message)
        }
    }

    private func texts(_ value: LocatedJSON) throws(SchemaError) -> [String] {
        var texts: [String] = []
        for item in try items(of: value) { texts.append(try text(item)) }
        return texts
    }

    private func items(of value: LocatedJSON) throws(SchemaError) -> [LocatedJSON] {
        guard case .array(let items) = value.content else { throw expected("an array", at: value) }
        return items
    }

    private func text(_ value: LocatedJSON) throws(SchemaError) -> String {
        guard let text = value.text else { throw expected("a string", at: value) }
        return text
    }

    private func bool(_ value: LocatedJSON) throws(SchemaError) -> Bool {
        guard case .bool(let bool) = value.content else { throw expected("true or false", at: value) }
        return bool
    }

    private func count(_ value: LocatedJSON) throws(SchemaError) -> Int {
        guard case .integer(let count) = value.content, count >= 0 else {
            throw expected("a count", at: value)
        }
        return Int(count)
    }

    private func number(_ value: LocatedJSON) throws(SchemaError) -> Double {
        switch value.content {
        case .integer(let integer): return Double(integer)
        case .number(let number): return number
        default: throw expected("a number", at: value)
        }
    }

    private func expected(_ allowed: String, at value: LocatedJSON) -> SchemaError {
        let found = JSONSchema.TypeName.of(value.content).phrase
        return SchemaError(position: value.position, message: "Found \(found); allowed: \(allowed).")
    }
}
