/// Rows of values under named columns; a list of objects for programs.
///
/// ```swift
/// Table(viewModel.entities) {
///     Column("id") { $0.id }
///     Column("name") { $0.name }
/// }
/// ```
public struct Table<Row>: ContentElement {
    public let content: Content

    /// Creates a table; `key` names its JSON list.
    public init(_ rows: [Row], key: String = "rows", @ColumnsBuilder<Row> columns: () -> [Column<Row>]) {
        let columns = columns()
        let cells = rows.map { row in columns.map { $0.cell(row) } }
        content = Content([
            .table(Content.TableData(key: key, headings: columns.map { $0.heading }, rows: cells))
        ])
    }
}

/// A column of a table: its name and how its value is read from a row.
public struct Column<Row> {
    let heading: Content.TableData.Heading
    let cell: (Row) -> Content.TableData.Cell

    /// Creates a column under `key`, from which the label is derived by default; a hidden one is for programs
    /// only.
    public init<Value: Displayable>(
        _ key: String, label: String? = nil, isHidden: Bool = false, value: @escaping (Row) -> Value
    ) {
        let isNumeric = ColumnTypes.numeric.contains { $0 == Value.self }
        heading = Content.TableData.Heading(
            key: key, label: label ?? Words.label(forKey: key), isNumeric: isNumeric,
            keepsWidth: isNumeric || ColumnTypes.short.contains { $0 == Value.self } || key == "id"
                || key.hasSuffix("Id"),
            isHidden: isHidden)
        cell = { row in Content.TableData.Cell(displayed: value(row)) }
    }
}

/// Types that change the layout of a column.
private enum ColumnTypes {
    static let numeric: [Any.Type] = [Int.self, Int?.self, Double.self, Double?.self]
    static let short: [Any.Type] = [Bool.self, Bool?.self, Timestamp.self, Timestamp?.self]
}

/// Builds the columns of a table.
public typealias ColumnsBuilder<Row> = ListBuilder<Column<Row>>

extension Content {
    /// A table ready to be rendered.
    public struct TableData: Sendable {
        /// The name of the JSON list.
        public let key: String
        /// The heads of all columns, including hidden ones.
        public let headings: [Heading]
        /// The cells, a list per row, as many as there are headings.
        public let rows: [[Cell]]

        /// The head of a column.
        public struct Heading: Sendable {
            /// The name of the column's member in each object, for programs.
            public let key: String
            /// The head of the column for users.
            public let label: String
            /// True if its values are aligned right.
            public let isNumeric: Bool
            /// True if its values stay on one line as long as possible: numbers, times, ids.
            public let keepsWidth: Bool
            /// True if it is for programs only.
            public let isHidden: Bool
        }

        /// One value of a row.
        public struct Cell: Sendable {
            let displayed: any Displayable
            /// The value for users.
            public var text: String { displayed.displayText }
            /// The value for programs.
            public var value: JSONValue { displayed.json }
        }
    }
}

extension Content.TableData {
    /// Returns the table with the columns at these indices, in this order; hidden ones become visible.
    @_spi(Host) public func keeping(_ columns: [Int]) -> Content.TableData {
        Content.TableData(
            key: key,
            headings: columns.map { index in
                let heading = headings[index]
                return Heading(
                    key: heading.key, label: heading.label, isNumeric: heading.isNumeric,
                    keepsWidth: heading.keepsWidth, isHidden: false)
            },
            rows: rows.map { row in columns.map { row[$0] } })
    }

    /// Returns the table with the rows at these indices, in this order.
    @_spi(Host) public func keeping(rows indices: [Int]) -> Content.TableData {
        Content.TableData(key: key, headings: headings, rows: indices.map { rows[$0] })
    }

    /// Returns the table with one more column, which has these values.
    @_spi(Host) public func adding<Value>(_ column: Column<Value>, _ values: [Value]) -> Content.TableData {
        Content.TableData(
            key: key, headings: headings + [column.heading],
            rows: zip(rows, values).map { $0 + [column.cell($1)] })
    }
}
