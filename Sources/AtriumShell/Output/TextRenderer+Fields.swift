internal import AtriumKit

extension TextRenderer {
    /// Labelled values, one below the other.
    func lines(of fields: [Field]) -> [String] {
        let labels = fields.map(\.label.printableLine)
        let values = fields.map { Self.value($0.text.printable) }
        let layout = FieldLayout(labels: labels, values: values, width: width)
        return zip(labels, values).flatMap { layout.lines($0, $1, paint: style.faint) }
    }

    /// What is shown for a value: a dash where there is none.
    static func value(_ text: String) -> String { text.isEmpty ? "-" : text }
}
