/// Rows of values under named columns; a list of objects for programs.
///
/// ```swift
/// Table(viewModel.entities) {
///     Column("id") { $0.id }
///     Column("name") { $0.name }
/// }
/// ```
public struct Table<Row>: ContentElement {
    private let key: String
    private let rows: [Row]
    private let columns: [Column<Row>]

    /// A table that programs know as the list `key`.
    public init(_ rows: [Row], key: String = "rows", @ColumnsBuilder<Row> columns: () -> [Column<Row>]) {
        self.key = key
        self.rows = rows
        self.columns = columns()
    }

    public var content: Content {
        let headings = columns.map {
            Content.TableData.Heading(
                key: $0.key, label: $0.label, isNumeric: $0.isNumeric, keepsWidth: $0.keepsWidth,
                isHidden: $0.isHidden)
        }
        let cells = rows.map { row in columns.map { $0.cell(row) } }
        return Content([.table(Content.TableData(key: key, headings: headings, rows: cells))])
    }
}

/// A column of a table: its name and how its value is read from a row.
public struct Column<Row> {
    let key: String
    let label: String
    let isNumeric: Bool
    let keepsWidth: Bool
    let isHidden: Bool
    let cell: (Row) -> Content.TableData.Cell

    /// A column under `key`, with a label that is derived from the key by default; a hidden one is for programs
    /// only.
    public init<Value: Displayable>(
        _ key: String, label: String? = nil, isHidden: Bool = false, value: @escaping (Row) -> Value
    ) {
        self.key = key
        self.label = label ?? Words.label(forKey: key)
        let numeric: [Any.Type] = [Int.self, Int?.self, Double.self, Double?.self]
        let short: [Any.Type] = [Bool.self, Bool?.self, Timestamp.self, Timestamp?.self]
        self.isNumeric = numeric.contains { $0 == Value.self }
        self.keepsWidth =
            isNumeric || short.contains { $0 == Value.self } || key == "id" || key.hasSuffix("Id")
        self.isHidden = isHidden
        self.cell = { row in Content.TableData.Cell(displayed: value(row)) }
    }
}

/// Makes the columns of a table.
@resultBuilder
public enum ColumnsBuilder<Row> {
    public static func buildExpression(_ column: Column<Row>) -> [Column<Row>] { [column] }
    public static func buildBlock(_ parts: [Column<Row>]...) -> [Column<Row>] { parts.flatMap { $0 } }
    public static func buildOptional(_ part: [Column<Row>]?) -> [Column<Row>] { part ?? [] }
    public static func buildEither(first part: [Column<Row>]) -> [Column<Row>] { part }
    public static func buildEither(second part: [Column<Row>]) -> [Column<Row>] { part }
    public static func buildArray(_ parts: [[Column<Row>]]) -> [Column<Row>] { parts.flatMap { $0 } }
}

extension Content {
    /// A table ready to be rendered.
    public struct TableData: Sendable {
        public let key: String
        public let headings: [Heading]
        /// The cells, a list per row, as many as there are headings.
        public let rows: [[Cell]]

        /// The head of a column.
        public struct Heading: Sendable {
            public let key: String
            public let label: String
            /// Whether its values are aligned right.
            public let isNumeric: Bool
            /// Whether its values stay on one line as long as possible: numbers, times, ids.
            public let keepsWidth: Bool
            /// Whether it is for programs only.
            public let isHidden: Bool
        }

        /// One value of a row.
        public struct Cell: Sendable {
            let displayed: any Displayable
            /// The value for people.
            public var text: String { displayed.displayText }
            /// The value for programs.
            public var value: JSONValue { displayed.json }
        }
    }
}
