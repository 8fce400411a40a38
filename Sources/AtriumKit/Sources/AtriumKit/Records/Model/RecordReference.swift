/// The id of a record, or an optional one: a value that can refer to another record.
public protocol IdentifierFieldValue: NumberFieldValue {}

extension Int: IdentifierFieldValue {}
extension Optional: IdentifierFieldValue where Wrapped: IdentifierFieldValue {}

extension FieldOption where Value: IdentifierFieldValue {
    /// The id of another record of the module, or 0 for none yet.
    ///
    /// Screens show its name, forms offer a list to choose from, lists can be limited to one. A change that refers
    /// to no record is refused, and so is the deletion of one that is referred to; a server checks that itself.
    public static func reference<Other: Record>(to type: Other.Type) -> Self {
        Self {
            $0.reference = type
            $0.traits.isFiltered = true
            $0.edges = { ("2", "1") }
            let noun = Other.noun
            $0.rules.append { value, subject in
                guard case .integer(let id) = value.databaseValue, id < 1 else { return [] }
                if id == 0, !Value.isOptional { return ["\(subject) is empty."] }
                return ["\(subject) must be the id of \(noun.withArticle), not \(id)."]
            }
        }
    }
}

extension RecordField {
    /// The id of the record that the field refers to; nil if it refers to none.
    func referredID(of record: Root) -> Int? {
        guard reference != nil, case .integer(let id) = databaseValue(of: record), id > 0 else { return nil }
        return Int(id)
    }
}

extension ValidationFinding {
    /// A field refers to a record that is not there.
    static func noReferred<Item: Record>(
        _ field: RecordField<Item>, _ id: Int, row: Int? = nil
    ) -> ValidationFinding {
        ValidationFinding(
            "There is no \(field.reference?.noun.singular ?? "record") \(id).", field: field.name, line: row)
    }
}

extension ServiceError {
    /// A record can't be deleted, since records of another kind refer to it.
    static func isReferredTo<Item: Record>(
        _ noun: RecordNoun, _ id: Int, by count: Int, _ field: RecordField<Item>
    ) -> ServiceError {
        ServiceError(
            "isReferredTo",
            "\(noun.singular.capitalizingFirst) \(id) can't be deleted: "
                + "\(Item.fields.noun.counted(count)) \(count == 1 ? "refers" : "refer") to it.",
            hint: "\(Item.link) list --\(field.name) \(id)")
    }
}
