/// A JSON value with its position in the file.
public struct LocatedJSON: Sendable {
    /// The position of the value's first character.
    public let position: SourcePosition

    /// The value without positions.
    public let plain: ManifestValue

    /// The members of an object in the order of the file, each key once; empty if this is not an object.
    public let members: [Member]

    /// The elements of an array, in order; empty if this is not an array.
    public let items: [LocatedJSON]

    /// A key of an object and its value, both with their positions.
    public struct Member: Sendable {
        /// The key, with escapes decoded.
        public let key: String

        /// The position of the key's opening quote.
        public let keyPosition: SourcePosition

        public let value: LocatedJSON
    }

    init(
        _ plain: ManifestValue, at position: SourcePosition, members: [Member] = [],
        items: [LocatedJSON] = []
    ) {
        (self.plain, self.position, self.members, self.items) = (plain, position, members, items)
    }

    /// Parses a whole document: RFC 8259, UTF-8 without a byte order mark, at most 64 levels deep.
    ///
    /// Refuses input that the RFC leaves open: a key that appears twice in an object, half of a surrogate
    /// pair, and numbers beyond the range of a `Double`. Time grows with the length of the text.
    ///
    /// - Throws: ``JSONSyntaxError`` with the first position at which the text can't be JSON.
    public init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes)
        self = try parser.parseDocument()
    }

    /// Parses a document, replacing values that can't be held, such as half of a surrogate pair or 1e400, so
    /// that the rest is known; returns the first error about such a value.
    public static func replacingValues(
        in bytes: [UInt8]
    ) throws(JSONSyntaxError) -> (json: LocatedJSON, refused: JSONSyntaxError?) {
        var parser = JSONParser(bytes, replacesValues: true)
        return (try parser.parseDocument(), parser.refused)
    }

    /// The value of a key; nil if this is not an object or does not have it.
    public subscript(key: String) -> LocatedJSON? {
        members.first { $0.key == key }?.value
    }

    /// The content of a string; nil for other types.
    public var text: String? {
        if case .string(let text) = plain { text } else { nil }
    }
}

/// A position in a text file, counted from 1 as compilers do.
///
/// The column counts UTF-8 bytes, as `swiftc` and `clang` do, so that editors jump to the same column.
public struct SourcePosition: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The line, from 1.
    public let line: Int
    /// The column in UTF-8 bytes, from 1.
    public let column: Int

    /// Orders positions by line, then by column.
    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }

    /// `12:5`, the form that compilers print.
    public var description: String { "\(line):\(column)" }
}

/// The first position at which a text can't be JSON.
public struct JSONSyntaxError: Error, CustomStringConvertible {
    public let position: SourcePosition

    /// A sentence about what was found and what is allowed, without the position.
    public let message: String

    /// `12:5: error: Found ']'; allowed: …`.
    public var description: String { "\(position): error: \(message)" }
}
