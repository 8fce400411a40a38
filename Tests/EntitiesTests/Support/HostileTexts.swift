import TestSupport

@testable import AtriumKit
@testable import Entities

/// Texts that are hard to store, search and transfer.
enum HostileTexts {
    private static let pieces = [
        "\"", "\"\"", ",", ";", "\n", "\n\n", "'", "\\", "\\n", "\\u0041", "\t", "a", "Zürich", "e\u{301}",
        "\"\u{301}",
        "灯", "👩‍👩‍👧‍👦", "🏳️‍🌈", "\u{FEFF}", "\u{FFFD}", "\u{FFFE}", "𐐀", "{\"name\":1}", "null", "=1+1",
        "name,category,notes", " ", "\u{A0}", "مرحبا", "\u{200D}", "ß", "İ", "0", "-1e5", "</script>",
    ]

    /// Random valid drafts.
    static func drafts(_ count: Int, using random: inout SeededGenerator) -> [EntityDraft] {
        var drafts: [EntityDraft] = []
        while drafts.count < count {
            let draft = EntityDraft(
                name: text(lines: false, using: &random).trimmed,
                category: text(lines: false, using: &random).trimmed.nilIfEmpty,
                notes: text(lines: true, using: &random).trimmed.nilIfEmpty)
            if draft.validate().isEmpty { drafts.append(draft) }
        }
        return drafts
    }

    /// A random text of up to eight pieces.
    static func text(lines: Bool, using random: inout SeededGenerator) -> String {
        let count = Int.random(in: 0...8, using: &random)
        return (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }
            .filter { lines || !($0.contains("\n") || $0.contains("\t")) }.joined()
    }

    /// The drafts as they are read from a file: in Unicode's form C.
    static func normalized(_ drafts: [EntityDraft]) -> [EntityDraft] {
        drafts.map {
            EntityDraft(
                name: $0.name.normalized, category: $0.category?.normalized, notes: $0.notes?.normalized)
        }
    }

    /// Whether drafts have the same Unicode scalars; `==` compares normalized texts.
    static func areSame(_ left: [EntityDraft], _ right: [EntityDraft]) -> Bool {
        scalars(left) == scalars(right)
    }

    private static func scalars(_ drafts: [EntityDraft]) -> [[Unicode.Scalar]] {
        drafts.flatMap { draft in
            Entity.fields.editable.map { Array(($0.text(of: draft) ?? "").unicodeScalars) }
        }
    }
}
