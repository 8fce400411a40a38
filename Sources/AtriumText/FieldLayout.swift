/// The layout of labels and values: side by side, or a value below its label.
package struct FieldLayout {
    let width: Int
    /// The width of the labels; nil if values are below them.
    let labelWidth: Int?

    private static let leastValueWidth = 8
    /// Below this width a value goes below its label rather than break a word.
    private static let narrow = 40
    private static let gap = 2

    init(labels: [String], values: [String], width: Int) {
        self.width = width
        let widest = labels.map { TextWidth.of($0) }.max() ?? 0
        let widestWord = labels.map { TextWrapper.widestWord(in: $0) }.max() ?? 0
        var labelWidth = min(widest, max(8, width / 3, widestWord))
        if labelWidth < widest {
            let lines = labels.flatMap { TextWidth.wrapped($0, to: labelWidth) }
            labelWidth = lines.map { TextWidth.of($0) }.max() ?? 0
        }
        let valueWidth = width - labelWidth - Self.gap
        guard valueWidth >= Self.leastValueWidth, labelWidth <= max(8, width / 2) else {
            self.labelWidth = nil
            return
        }
        let breaksWords =
            width < Self.narrow
            && values.contains {
                let word = TextWrapper.widestWord(in: $0)
                return word > valueWidth && word <= width - TextRenderer.indent
            }
        self.labelWidth = breaksWords ? nil : labelWidth
    }

    func lines(
        _ label: String, _ value: String, paint: TextStyle.Paint, paintValue: TextStyle.Paint? = nil
    ) -> [String] {
        let paintValue = paintValue ?? { $0 }
        guard let labelWidth else {
            let margin = String(repeating: " ", count: TextRenderer.indent)
            let values = TextWidth.wrapped(value, to: max(1, width - TextRenderer.indent))
            let labels = TextWidth.wrapped(label, to: width).filter { !$0.isEmpty }
            return labels.map(paint) + values.map { $0.isEmpty ? $0 : margin + paintValue($0) }
        }
        let labels = TextWidth.wrapped(label, to: labelWidth)
        let values = TextWidth.wrapped(value, to: width - labelWidth - Self.gap)
        return (0..<max(labels.count, values.count)).map { index in
            let label = index < labels.count ? labels[index] : ""
            guard index < values.count, !values[index].isEmpty else {
                return label.isEmpty ? "" : paint(label)
            }
            let padded = TextWidth.padded(label, to: labelWidth)
            return (label.isEmpty ? padded : paint(padded)) + "  " + paintValue(values[index])
        }
    }
}
