/// Writes arguments and results in one line: short, by their structure, without what is secret by declaration.
///
/// Secret are the fields of records that say so, what a type leaves out of its description or its mirror, and
/// whatever has the name of a secret.
enum CallText {
    static let hidden = "(hidden)"
    private static let longestText = 100
    private static let longest = 400
    private static let mostItems = 3
    private static let deepest = 4

    static func of(_ value: Any) -> String { bounded(text(of: value, depth: 0), longest) }

    static func of(error: any Error) -> String {
        bounded((error as? any ExplainedError)?.message ?? of(error), longest)
    }

    private static func bounded(_ text: String, _ limit: Int) -> String {
        // By bytes first: counting the characters of a large text takes long.
        guard text.utf8.count > limit else { return text }
        let start = text.prefix(limit)
        return start.endIndex == text.endIndex ? text : start + "…"
    }

    private static func text(of value: Any, depth: Int) -> String {
        if let text = value as? String { return "'\(bounded(text, longestText))'" }
        if let record = value as? any Record { return text(ofRecord: record) }
        if let changes = value as? any CallDescribed { return changes.callText }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            return mirror.children.first.map { text(of: $0.value, depth: depth) } ?? "nil"
        case .collection, .set: return items(of: mirror, depth) { text(of: $0.value, depth: depth + 1) }
        case .dictionary:
            return items(of: mirror, depth) { child in
                let pair = Array(Mirror(reflecting: child.value).children.map(\.value))
                return pair.count == 2
                    ? member(label: text(of: pair[0], depth: depth + 1), of: pair[1], depth) : ""
            }
        default: break
        }
        if let described = value as? any CustomStringConvertible, mirror.displayStyle != .tuple {
            return bounded(described.description, longestText)
        }
        return structure(of: value, mirror, depth)
    }

    private static func structure(of value: Any, _ mirror: Mirror, _ depth: Int) -> String {
        guard depth < deepest else { return "…" }
        let name = RegistrationKey.name(of: Swift.type(of: value))
        switch mirror.displayStyle {
        case .enum:
            guard let payload = mirror.children.first else { return bounded("\(value)", longestText) }
            if let label = payload.label, SecretName.matches(label) { return "\(label)(\(hidden))" }
            let isTuple = Mirror(reflecting: payload.value).displayStyle == .tuple
            let inner = text(of: payload.value, depth: depth + 1)
            return (payload.label ?? name) + (isTuple ? inner : "(\(inner))")
        case .tuple: return "(\(members(of: mirror, depth)))"
        case .struct: return "\(name)(\(members(of: mirror, depth)))"
        // Storage of objects may change on other threads.
        default: return name
        }
    }

    private static func members(of mirror: Mirror, _ depth: Int) -> String {
        guard depth < deepest else { return "…" }
        return mirror.children.filter { !isEmpty($0.value) }.map { child in
            guard let label = child.label, !label.hasPrefix(".") else {
                return text(of: child.value, depth: depth + 1)
            }
            // The storage of a property wrapper has the name of its property after `_`.
            let name = label.hasPrefix("_") ? String(label.dropFirst()) : label
            return member(label: name, of: child.value, depth)
        }.joined(separator: ", ")
    }

    /// True for nil and for an empty collection.
    private static func isEmpty(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        let styles: [Mirror.DisplayStyle] = [.optional, .collection, .set, .dictionary]
        return mirror.displayStyle.map(styles.contains) == true && mirror.children.isEmpty
    }

    private static func member(label: String, of value: Any, _ depth: Int) -> String {
        "\(label): " + (SecretName.matches(label) ? hidden : text(of: value, depth: depth + 1))
    }

    private static func items(
        of mirror: Mirror, _ depth: Int, _ text: (Mirror.Child) -> String
    ) -> String {
        let count = mirror.children.count
        guard count > 0 else { return "[]" }
        guard depth < deepest else { return "[\(count) items]" }
        let shown = mirror.children.prefix(mostItems).map(text).joined(separator: ", ")
        return count > mostItems ? "[\(shown), and \(count - mostItems) more]" : "[\(shown)]"
    }

    private static func text<Item: Record>(ofRecord record: Item) -> String {
        text(of: Item.fields.all, of: record, id: "\(record.id)")
    }

    static func text<Item: Record>(of fields: [RecordField<Item>], of record: Item, id: String?) -> String {
        let texts = fields.map { field in
            let text = field.text(of: record).map { bounded($0, longestText) }
            return "\(field.name): " + (field.traits.isSecret ? hidden : text ?? "nil")
        }
        let all = (id.map { ["id: \($0)"] } ?? []) + texts
        return "\(RegistrationKey.name(of: Item.self))(\(all.joined(separator: ", ")))"
    }
}

/// A value that writes itself for taps.
private protocol CallDescribed { var callText: String { get } }

extension RecordChanges: CallDescribed {
    var callText: String {
        CallText.text(of: fields, of: applied(to: base ?? Item()), id: nil)
    }
}
