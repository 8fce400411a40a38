/// A type that an argument can have.
public protocol ArgumentValue: Sendable {
    /// The type in words: "a whole number".
    static var argumentTypeName: String { get }
    /// The allowed values, if they can be listed.
    static var argumentChoices: [String] { get }
    /// The value of a missing argument; nil if it is required.
    static var absent: Self? { get }
    /// Parses typed text; nil if it does not fit.
    init?(argument: String)
    /// The value as it would be typed.
    var argumentText: String { get }
}

extension ArgumentValue {
    /// Any value of the type, by default.
    public static var argumentChoices: [String] { [] }
    /// Required, by default.
    public static var absent: Self? { nil }
}

/// Any number of texts, at least one unless there is a default.
extension [String]: ArgumentValue {
    public static var argumentTypeName: String { "texts" }
    /// Splits `argument` at NUL, the separator of a list's values.
    public init?(argument: String) {
        self = argument.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    }
    /// The values joined by NUL.
    public var argumentText: String { joined(separator: "\0") }
}

extension String: ArgumentValue {
    public static var argumentTypeName: String { "a text" }
    /// Takes any text, even an empty one.
    public init?(argument: String) { self = argument }
    public var argumentText: String { self }
}

extension Int: ArgumentValue {
    public static var argumentTypeName: String { "a whole number" }
    /// Parses a decimal number with an optional sign; nil if it does not fit `Int`.
    public init?(argument: String) { self.init(argument) }
    public var argumentText: String { String(self) }
}

extension Double: ArgumentValue {
    public static var argumentTypeName: String { "a number" }
    /// Parses a finite number; nil for `inf` and `nan`.
    public init?(argument: String) {
        guard let value = Double(argument), value.isFinite else { return nil }
        self = value
    }
    /// The number, a whole one without a fraction: `2`, not `2.0`.
    public var argumentText: String {
        let text = String(self)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension Bool: ArgumentValue {
    public static var argumentTypeName: String { "yes or no" }
    public static var argumentChoices: [String] { ["yes", "no"] }
    /// Reads `yes`, and takes everything else for no; the choices admit only `yes` and `no`.
    public init?(argument: String) { self = argument == "yes" }
    /// `yes` or `no`.
    public var argumentText: String { self ? "yes" : "no" }
}

extension Optional: ArgumentValue where Wrapped: ArgumentValue {
    /// The name of the wrapped type, as an optional argument is typed in the same way.
    public static var argumentTypeName: String { Wrapped.argumentTypeName }
    public static var argumentChoices: [String] { Wrapped.argumentChoices }
    /// Nil: an optional argument may be missing.
    public static var absent: Wrapped?? { .some(.none) }
    /// Parses text as the wrapped type does; nil if it does not fit that.
    public init?(argument: String) {
        guard let value = Wrapped(argument: argument) else { return nil }
        self = .some(value)
    }
    /// The text of the value; empty for nil.
    public var argumentText: String { self?.argumentText ?? "" }
}

extension ArgumentValue where Self: RawRepresentable, RawValue == String {
    /// Takes a raw value; nil for any other text.
    public init?(argument: String) { self.init(rawValue: argument) }
    public var argumentText: String { rawValue }
}

extension ArgumentValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    public static var argumentTypeName: String { "a choice" }
    /// The raw values of all cases, in their order.
    public static var argumentChoices: [String] { allCases.map(\.rawValue) }
    /// Takes the raw value of a case, in the same letters; nil for any other text.
    public init?(argument: String) { self.init(rawValue: argument) }
    public var argumentText: String { rawValue }
}
