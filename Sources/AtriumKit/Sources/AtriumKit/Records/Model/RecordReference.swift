/// `Int`, `String`, `Int?` or `String?`: a value that can be a reference.
public protocol IdentifierFieldValue: RecordValue {
    /// The type of the record's id.
    associatedtype Identifier: RecordID
}

extension Int: IdentifierFieldValue {
    public typealias Identifier = Int
}

extension String: IdentifierFieldValue {
    public typealias Identifier = String
}

extension Optional: IdentifierFieldValue where Wrapped: IdentifierFieldValue {
    public typealias Identifier = Wrapped.Identifier
}

extension FieldOption where Value: IdentifierFieldValue {
    /// Makes the field a reference: it holds the id of a record of type `Other`, in the same module.
    ///
    /// In an `Int` 0, and in a `String` the empty string, means not set, and is refused on saving; in an `Int?` or
    /// `String?`, nil means no reference. Screens show the record's name, forms offer a list to choose from, and
    /// lists can be filtered by it. A reference to a missing record is refused, and so is deleting a referenced
    /// record; a server has to check both itself.
    public static func reference<Other: Record>(to type: Other.Type) -> Self
    where Other.ID == Value.Identifier {
        Self {
            $0.reference = type
            $0.traits.isFiltered = true
            $0.edges = { ("2", "1") }
            let noun = Other.noun
            $0.rules.append { value, subject in
                if case .text(let id) = value.databaseValue, id.isEmpty, !Value.isOptional {
                    return ["\(subject) is required."]
                }
                guard case .integer(let id) = value.databaseValue, id < 1 else { return [] }
                if id == 0, !Value.isOptional { return ["\(subject) is required."] }
                return ["\(subject) must be the id of \(noun.withArticle), not \(id)."]
            }
        }
    }
}

extension RecordField {
    /// The id of the record that the field refers to; nil if it refers to none.
    func referred(of record: Root) -> RecordKey? {
        guard reference != nil else { return nil }
        return switch databaseValue(of: record) {
        case .integer(let id) where id != 0: RecordKey(Int(id))
        case .text(let id) where !id.isEmpty: RecordKey(id)
        default: nil
        }
    }
}

extension ValidationFinding {
    /// A field refers to a record that is not there.
    static func noReferencedRecord<Item: Record>(
        _ field: RecordField<Item>, _ id: RecordKey, row: Int? = nil
    ) -> ValidationFinding {
        ValidationFinding(
            "There is no \(field.reference?.noun.singular ?? "record") \(id.words).", field: field.name,
            line: row)
    }
}

extension ServiceError {
    /// A record can't be deleted, since records of another kind refer to it.
    static func isReferredTo<Item: Record>(
        _ noun: RecordNoun, _ id: RecordKey, by count: Int, _ field: RecordField<Item>
    ) -> ServiceError {
        var list = RecordListDestination<Item>()
        list.filters[field.name] = id.displayText
        return ServiceError(
            "isReferredTo",
            "\(noun.singular.capitalizingFirst) \(id.words) can't be deleted: "
                + "\(Item.fields.noun.counted(count)) \(count == 1 ? "refers" : "refer") to it.",
            hint: (try? list.link().description) ?? Item.link)
    }
}
