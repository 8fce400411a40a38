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
