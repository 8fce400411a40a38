/// Walks a document along a schema and collects what is wrong.
struct SchemaValidator {
    /// What was found, in the order of the walk.
    private(set) var findings: [Finding] = []

    private let nodes: [JSONSchema.Node]
    private var path = FieldPath()

    init(_ nodes: [JSONSchema.Node]) {
        self.nodes = nodes
    }

    /// Checks a value and all that it holds.
    mutating func check(_ value: LocatedJSON, against index: Int) {
        let node = nodes[index]
        if let reference = node.constraints.reference { check(value, against: reference) }
        guard hasAllowedType(value, node), isAmongAllowed(value, node) else { return }
        switch value.content {
        case .null, .bool: break
        case .integer(let integer): check(Double(integer), at: value, node)
        case .number(let number): check(number, at: value, node)
        case .string(let text): check(text, at: value.position, node)
        case .array(let items): check(items, of: value, node)
        case .object(let members): check(members, of: value, node)
        }
    }

    private mutating func hasAllowedType(_ value: LocatedJSON, _ node: JSONSchema.Node) -> Bool {
        guard let types = node.constraints.types, !types.contains(where: { $0.includes(value.content) })
        else {
            return true
        }
        let allowed = Wording.alternatives(types.map(\.phrase))
        report(
            at: value.position, "Found \(JSONSchema.TypeName.of(value.content).phrase); allowed: \(allowed).")
        return false
    }

    private mutating func isAmongAllowed(_ value: LocatedJSON, _ node: JSONSchema.Node) -> Bool {
        guard let allowed = node.constraints.allowed else { return true }
        let plain = ManifestValue(value)
        if allowed.contains(where: { $0.isSameJSON(as: plain) }) { return true }
        let names = allowed.compactMap(\.text)
        let suggestion = value.text.map { Wording.suggestion(for: $0, among: names) } ?? "."
        let list = Wording.alternatives(allowed.map(\.excerpt))
        let separator = suggestion == "." ? "; allowed: " : "\(suggestion) Allowed: "
        report(at: value.position, "Found \(plain.excerpt)\(separator)\(list).")
        return false
    }

    private mutating func report(at position: SourcePosition, _ message: String) {
        findings.append(Finding(position: position, field: path.description, message: message))
    }

    /// Runs `body` one step further down.
    private mutating func descend(_ step: FieldPath.Step, _ body: (inout SchemaValidator) -> Void) {
        path.append(step)
        body(&self)
        path.removeLast()
    }
}

/// Numbers and texts.
extension SchemaValidator {
    private mutating func check(_ number: Double, at value: LocatedJSON, _ node: JSONSchema.Node) {
        let found = ManifestValue(value).excerpt
        if let minimum = node.constraints.minimum, number < minimum {
            report(at: value.position, "\(found) is too small; allowed: \(Self.text(minimum)) or more.")
        }
        if let maximum = node.constraints.maximum, number > maximum {
            report(at: value.position, "\(found) is too large; allowed: \(Self.text(maximum)) or less.")
        }
    }

    private mutating func check(_ text: String, at position: SourcePosition, _ node: JSONSchema.Node) {
        if let minimum = node.constraints.minimumLength, text.unicodeScalars.count < minimum {
            let allowed = "a text of at least \(Self.count(minimum, "character"))"
            report(at: position, "Found \(Wording.quoted(text)); allowed: \(allowed).")
        } else if let pattern = node.constraints.pattern, !pattern.matches(text) {
            report(at: position, Self.mismatch(text, pattern, node.constraints))
        }
    }

    private static func mismatch(
        _ text: String, _ pattern: Pattern, _ constraints: JSONSchema.Constraints
    ) -> String {
        let title = constraints.title.map { "a valid \($0)" } ?? "allowed here"
        let allowed = constraints.summary ?? "a text that matches \(pattern.source)"
        let example = constraints.example.map { ", for example '\($0)'" } ?? ""
        return "\(Wording.quoted(text)) is not \(title); allowed: \(allowed)\(example)."
    }

    private static func text(_ bound: Double) -> String {
        ManifestValue.number(bound).excerpt
    }

    private static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

/// Arrays and objects.
extension SchemaValidator {
    private mutating func check(_ items: [LocatedJSON], of value: LocatedJSON, _ node: JSONSchema.Node) {
        if let minimum = node.constraints.minimumItems, items.count < minimum {
            report(
                at: value.position,
                "Found \(Self.count(items.count, "item")); allowed: at least \(Self.count(minimum, "item")).")
        }
        if let itemNode = node.constraints.items {
            for (index, item) in items.enumerated() {
                descend(.index(index)) { $0.check(item, against: itemNode) }
            }
        }
        if node.constraints.itemsAreUnique { checkUnique(items) }
    }

    private mutating func checkUnique(_ items: [LocatedJSON]) {
        var places = FirstPlaces<ManifestValue>()
        for (index, item) in items.enumerated() {
            let value = ManifestValue(item)
            guard let first = places.insert(value.canonical, at: item.position) else { continue }
            descend(.index(index)) {
                $0.report(
                    at: item.position,
                    "\(value.excerpt) appears twice; the first is on line \(first.line).")
            }
        }
    }

    private mutating func check(
        _ members: [LocatedJSON.Member], of object: LocatedJSON, _ node: JSONSchema.Node
    ) {
        for member in members {
            descend(.key(member.key)) { $0.check(member, of: node) }
        }
        for key in node.constraints.required where !members.contains(where: { $0.key == key }) {
            descend(.key(key)) {
                $0.report(at: object.position, "Required key \(Wording.quoted(key)) is missing.")
            }
        }
    }

    private mutating func check(_ member: LocatedJSON.Member, of node: JSONSchema.Node) {
        if let nameNode = node.constraints.propertyNames {
            check(LocatedJSON(.string(member.key), at: member.keyPosition), against: nameNode)
        }
        if let property = node.constraints.properties.first(where: { $0.key == member.key }) {
            check(member.value, against: property.node)
            return
        }
        switch node.constraints.additional {
        case .allowed: break
        case .constrained(let additional): check(member.value, against: additional)
        case .forbidden: reportUnknown(member, among: node.constraints.properties.map(\.key))
        }
    }

    private mutating func reportUnknown(_ member: LocatedJSON.Member, among known: [String]) {
        let suggestion = Wording.suggestion(for: member.key, among: known)
        let allowed = known.isEmpty ? "nothing" : known.joined(separator: ", ")
        report(
            at: member.keyPosition,
            "Unknown key \(Wording.quoted(member.key))\(suggestion) Allowed: \(allowed).")
    }
}
