/// A place in a text file, the way compilers count: from 1.
///
/// The column counts UTF-8 bytes, as `swiftc` and `clang` do, so that editors jump to the same place.
public struct SourcePosition: Sendable, Hashable {
    /// The line, counted from 1.
    public let line: Int

    /// The column in UTF-8 bytes, counted from 1.
    public let column: Int

    /// Makes a position from a line and a column, both counted from 1.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The first character of a file.
    public static let start = SourcePosition(line: 1, column: 1)
}

extension SourcePosition: Comparable {
    /// Orders positions as they are read: by line, then by column.
    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension SourcePosition: CustomStringConvertible {
    /// `12:5`, the form that compilers print.
    public var description: String { "\(line):\(column)" }
}
