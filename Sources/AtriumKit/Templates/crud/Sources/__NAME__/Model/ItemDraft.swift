import AtriumKit

/// A field of an item that users fill in, by the name that they type.
enum ItemField: String, CaseIterable, Hashable, Sendable {
    case name, category, quantity
}

/// The values that users fill in, for a new item or an existing one.
///
/// Texts lose surrounding white space; an empty category counts as none.
struct ItemDraft: Codable, Hashable, Sendable {
    static let quantities = 0...9999

    private(set) var name = ""
    private(set) var category: String?
    private(set) var quantity = 1

    init() {}

    init(name: String, category: String? = nil, quantity: Int = 1) {
        self.name = name.trimmed
        self.category = category?.trimmed.nilIfEmpty
        self.quantity = quantity
    }

    init(_ item: Item) {
        self.init(name: item.name, category: item.category, quantity: item.quantity)
    }

    func text(of field: ItemField) -> String? {
        switch field {
        case .name: name.nilIfEmpty
        case .category: category
        case .quantity: "\(quantity)"
        }
    }

    /// Sets a field to typed text.
    ///
    /// - Throws: ``ValidationError`` if the text can't be its value; the draft stays as it is.
    mutating func set(_ field: ItemField, to text: String) throws {
        var changed = self
        switch field {
        case .name: changed.name = text.trimmed
        case .category: changed.category = text.trimmed.nilIfEmpty
        case .quantity:
            guard let quantity = Int(text.trimmed) else {
                throw ValidationError(findings: [
                    ValidationFinding(
                        "The quantity must be a whole number, not '\(text.excerpt)'.", field: "quantity")
                ])
            }
            changed.quantity = quantity
        }
        try ValidationError.check(changed.findings(in: field))
        self = changed
    }

    /// Returns every broken rule, field by field.
    func validate() -> [ValidationFinding] {
        ItemField.allCases.flatMap(findings)
    }

    private func findings(in field: ItemField) -> [ValidationFinding] {
        switch field {
        case .name:
            TextRule(subject: "The name", maximum: 100).problems(of: name).map {
                ValidationFinding($0, field: field.rawValue)
            }
        case .category:
            TextRule(subject: "The category", maximum: 50, isRequired: false).problems(of: category ?? "").map
            {
                ValidationFinding($0, field: field.rawValue)
            }
        case .quantity:
            ValidationFinding.checking(field.rawValue, quantity, within: Self.quantities)
        }
    }
}
