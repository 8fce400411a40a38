/// The room that screens have, in character cells.
///
/// A view that shows a long list shows as many rows as ``contentRows`` has room for.
public struct Viewport: Sendable, Hashable {
    /// How many columns there are.
    public let columns: Int
    /// How many rows there are, those of the prompt included.
    public let rows: Int
    /// How many of the rows the prompt and what is typed behind it take; 0 where nobody is asked.
    public let promptRows: Int

    /// Makes a viewport; figures below 0 count as 0.
    public init(columns: Int, rows: Int, promptRows: Int = 0) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        self.promptRows = max(0, promptRows)
    }

    /// How many rows are left for content.
    public var contentRows: Int { max(0, rows - promptRows) }

    /// What there is where there is no terminal: 80 columns of 24 rows.
    public static let standard = Viewport(columns: 80, rows: 24)
}
