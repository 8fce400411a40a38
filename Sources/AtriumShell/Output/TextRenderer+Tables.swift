internal import AtriumKit

extension TextRenderer {
    /// Rows below a head; a block of labelled values for each where its columns would be too narrow.
    func lines(of table: Content.TableData) -> [String] {
        let shown = table.headings.indices.filter { !table.headings[$0].isHidden }
        let columns = shown.map { index in
            let heading = table.headings[index]
            return TableLayout.Column(
                label: heading.label.printableLine, keepsWidth: heading.keepsWidth,
                isNumeric: heading.isNumeric, cells: table.rows.map { $0[index].text.printableLine })
        }
        guard let layout = TableLayout(columns, width: width) else {
            return records(of: columns, count: table.rows.count)
        }
        var lines = row(columns.map(\.label), columns, layout).map(style.bold)
        lines.reserveCapacity(table.rows.count + 1)
        for index in table.rows.indices {
            lines += row(columns.map { $0.cells[index] }, columns, layout)
        }
        return lines
    }

    /// The lines of a row, as many as its highest cell has.
    private func row(
        _ cells: [String], _ columns: [TableLayout.Column], _ layout: TableLayout
    ) -> [String] {
        guard layout.wraps else { return [line(cells, columns, layout)] }
        let wrapped = zip(cells, layout.widths).map { cell, width in
            TextWrapper(width: width, indent: TableLayout.indent).lines(of: cell)
        }
        let height = wrapped.map(\.count).max() ?? 1
        return (0..<height).map { index in
            line(wrapped.map { index < $0.count ? $0[index] : "" }, columns, layout)
        }
    }

    private func line(
        _ cells: [String], _ columns: [TableLayout.Column], _ layout: TableLayout
    ) -> String {
        var line = ""
        // Blanks are written only once something follows, so that none end the line.
        var blanks = 0
        for (index, cell) in cells.enumerated() {
            let missing = max(0, layout.widths[index] - TextWidth.of(cell))
            if columns[index].isNumeric { blanks += missing }
            if !cell.isEmpty {
                line += String(repeating: " ", count: blanks)
                line += cell
                blanks = 0
            }
            blanks += TableLayout.gap + (columns[index].isNumeric ? 0 : missing)
        }
        return line.droppingLastBlanks
    }

    /// A block for each row, set apart by a blank line; without rows the names of the columns.
    private func records(of columns: [TableLayout.Column], count: Int) -> [String] {
        let labels = columns.map(\.label)
        guard count > 0 else {
            return TextWidth.wrapped(labels.joined(separator: "  "), to: width).map(style.bold)
        }
        let layout = FieldLayout(
            labels: labels, values: columns.flatMap { $0.cells }, width: width)
        var lines: [String] = []
        for index in 0..<count {
            if index > 0 { lines.append("") }
            for column in columns {
                lines += layout.lines(column.label, Self.value(column.cells[index]), paint: style.faint)
            }
        }
        return lines
    }
}
