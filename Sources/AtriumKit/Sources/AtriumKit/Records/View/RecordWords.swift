// The words of a record for its views.

extension Record {
    /// The first field as it is given to `create`: ` --name NAME`.
    static var firstArgument: String {
        fields.editable.first.map { " --\($0.name) \($0.name.uppercased())" } ?? ""
    }

    /// The names of the fields that are typed openly.
    static var openNames: [String] {
        fields.editable.filter { !$0.traits.isSecret }.map(\.name)
    }
}

extension RecordField {
    /// The command of a form that sets the field.
    var setting: String { traits.isSecret ? "set-\(name)" : "set \(name) VALUE" }

    /// The field with its value, or the name of the record that it refers to.
    @MainActor
    func content(_ record: Root, _ names: RecordNames<Root>) -> Field {
        reference == nil
            ? access.content(record) : Field(name, label: label, names.referred(self, of: record))
    }

    /// The column with its values, or the names of the records that it refers to.
    @MainActor
    func column(_ names: RecordNames<Root>) -> Column<Root> {
        guard reference != nil else { return access.column(isHidden: traits.isHidden) }
        return Column(name, label: label, isHidden: traits.isHidden) { names.referred(self, of: $0) }
    }

    /// The field as an argument of `create` or `set`.
    func argument(isNew: Bool) -> ArgumentDescription {
        let initial = text(of: Root())
        return ArgumentDescription(
            name: name, summary: isNew || !isOptional ? summary : summary + "; empty for none",
            typeName: typeName,
            isRequired: isNew && !findings(in: Root()).isEmpty, defaultText: isNew ? initial : nil,
            choices: choices, suggestions: [], isSecret: traits.isSecret, isList: false)
    }
}

extension String {
    var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
}
