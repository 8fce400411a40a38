internal import AtriumKit

/// Tables, or records of labelled values if the columns would be too narrow.
extension TextRenderer {
    /// The visible columns of a table, with the widths at which they fit; nil if they don't.
    private func layout(of table: Content.TableData) -> (columns: [TableLayout.Column], widths: TableLayout?)
    {
        let shown = table.headings.indices.filter { !table.headings[$0].isHidden }
        let columns = shown.map { index in
            let heading = table.headings[index]
            return TableLayout.Column(
                label: heading.label.printableLine, keepsWidth: heading.keepsWidth,
                isNumeric: heading.isNumeric, cells: table.rows.map { text(of: $0[index]).printableLine })
        }
        return (columns, TableLayout(columns, width: width))
    }

    /// The lines of a table, and whether they are records as its columns would be too narrow.
    func lines(ofTable table: Content.TableData) -> (lines: [String], isInRecords: Bool) {
        let (columns, layout) = layout(of: table)
        let paints = paints(of: table.headings.filter { !$0.isHidden })
        guard let layout else { return (records(of: columns, count: table.rows.count, paints), true) }
        let headings: [TextStyle.Paint?] = columns.map { _ in { style.columnHeading($0) } }
        var lines = row(columns.map(\.label), columns, layout, headings)
        lines.reserveCapacity(table.rows.count + 1)
        for index in table.rows.indices {
            lines += row(columns.map { $0.cells[index] }, columns, layout, paints)
        }
        return (lines, false)
    }

    private static let names: Set = ["name", "title", "link", "type"]

    /// The styles of each column's cells: the column that names its row is bold.
    private func paints(of headings: [Content.TableData.Heading]) -> [TextStyle.Paint?] {
        guard style.isColored else { return headings.map { _ in nil } }
        let named = headings.firstIndex { Self.names.contains($0.key) }
        let name = headings.count > 1 ? named ?? (headings[0].keepsWidth ? nil : 0) : nil
        return headings.indices.map { index in
            if let paint = style.paint(ofValue: headings[index].key) { return paint }
            return index == name ? { style.bold($0) } : nil
        }
    }

    private func row(
        _ cells: [String], _ columns: [TableLayout.Column], _ layout: TableLayout,
        _ paints: [TextStyle.Paint?]
    ) -> [String] {
        guard layout.wraps else { return [line(cells, columns, layout, paints)] }
        let wrapped = zip(cells, layout.widths).map { cell, width in
            TextWrapper(width: width, indent: TableLayout.indent).lines(of: cell)
        }
        let height = wrapped.map(\.count).max() ?? 1
        return (0..<height).map { index in
            line(wrapped.map { index < $0.count ? $0[index] : "" }, columns, layout, paints)
        }
    }

    private func line(
        _ cells: [String], _ columns: [TableLayout.Column], _ layout: TableLayout,
        _ paints: [TextStyle.Paint?]
    ) -> String {
        var line = ""
        // Blanks are only written before something, so that no line ends in one.
        var blanks = 0
        for (index, cell) in cells.enumerated() {
            let missing = max(0, layout.widths[index] - TextWidth.of(cell))
            if columns[index].isNumeric { blanks += missing }
            let text = cell.droppingLastBlanks
            if !text.isEmpty {
                line += String(repeating: " ", count: blanks)
                line += paints[index].map { $0(text) } ?? text
                // Only spaces are left out.
                blanks = cell.utf8.count - text.utf8.count
            } else {
                blanks += cell.utf8.count
            }
            blanks += TableLayout.gap + (columns[index].isNumeric ? 0 : missing)
        }
        return line
    }

    private func records(
        of columns: [TableLayout.Column], count: Int, _ paints: [TextStyle.Paint?]
    ) -> [String] {
        let labels = columns.map(\.label)
        guard count > 0 else {
            return TextWidth.wrapped(labels.joined(separator: "  "), to: width).map(style.columnHeading)
        }
        let layout = FieldLayout(labels: labels, values: columns.flatMap { $0.cells }, width: width)
        var lines: [String] = []
        for index in 0..<count {
            if index > 0 { lines.append("") }
            for (column, paint) in zip(columns, paints) {
                lines += layout.lines(
                    column.label, Self.value(column.cells[index]), paint: style.faint, paintValue: paint)
            }
        }
        return lines
    }
}
