/// A JSON value with its position in the file.
public struct LocatedJSON: Sendable, Hashable {
    /// The position of the value's first character.
    public let position: SourcePosition

    public let content: Content

    public init(_ content: Content, at position: SourcePosition) {
        self.content = content
        self.position = position
    }

    /// What a JSON value can be.
    public enum Content: Sendable, Hashable {
        /// `null`.
        case null

        /// `true` or `false`.
        case bool(Bool)

        /// A number without fraction and exponent that fits 64 bits.
        case integer(Int64)

        /// Any other number; always finite.
        case number(Double)

        /// Text, its escapes resolved.
        case string(String)

        /// The items of an array.
        case array([LocatedJSON])

        /// The members of an object in the order of the file, each key once.
        case object([Member])
    }

    /// A key of an object with its value.
    public struct Member: Sendable, Hashable {
        /// The key, its escapes resolved.
        public let key: String

        /// The position of the key's opening quote.
        public let keyPosition: SourcePosition

        public let value: LocatedJSON

        init(key: String, at keyPosition: SourcePosition, value: LocatedJSON) {
            self.key = key
            self.keyPosition = keyPosition
            self.value = value
        }
    }
}

extension LocatedJSON {
    /// Parses a whole document: RFC 8259, UTF-8 without a byte order mark, at most 64 levels deep.
    ///
    /// Refuses what the RFC leaves open: a key that appears twice in an object, half of a surrogate pair, and numbers
    /// beyond the range of a `Double`. Time grows with the
    /// length of the text.
    ///
    /// - Throws: ``JSONSyntaxError`` with the first position at which the text can't be JSON.
    public init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes)
        self = try parser.parseDocument()
    }

    /// The value of a key; nil if this is no object or does not have it.
    public subscript(key: String) -> LocatedJSON? {
        members.first { $0.key == key }?.value
    }

    /// The members of an object in the order of the file; empty if this is no object.
    public var members: [Member] {
        if case .object(let members) = content { members } else { [] }
    }

    /// The items of an array; empty if this is no array.
    public var items: [LocatedJSON] {
        if case .array(let items) = content { items } else { [] }
    }

    /// The text, if this is a string.
    public var text: String? {
        if case .string(let text) = content { text } else { nil }
    }

    /// The number, if this is one.
    var number: Double? {
        switch content {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}

extension LocatedJSON.Content {
    /// The type with its article, for messages.
    var typePhrase: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A position in a text file, the way compilers count: from 1.
///
/// The column counts UTF-8 bytes, as `swiftc` and `clang` do, so that editors jump to the same column.
public struct SourcePosition: Sendable, Hashable {
    /// The line, counted from 1.
    public let line: Int

    /// The column in UTF-8 bytes, counted from 1.
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

}

extension SourcePosition: Comparable {
    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension SourcePosition: CustomStringConvertible {
    /// `12:5`, the form that compilers print.
    public var description: String { "\(line):\(column)" }
}

/// The first position at which a text can't be JSON.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    public let position: SourcePosition

    /// A sentence: what was found and what is allowed there.
    public let message: String
}

extension JSONSyntaxError: CustomStringConvertible {
    /// `12:5: error: Found ']'; allowed: …`.
    public var description: String { "\(position): error: \(message)" }
}
