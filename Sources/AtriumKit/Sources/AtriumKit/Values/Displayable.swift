/// A value that a view can show: as text to a person, as JSON to a program.
public protocol Displayable: Sendable {
    /// The text that a person reads; empty where there is nothing to show.
    var displayText: String { get }
    /// The value for programs.
    var json: JSONValue { get }
}

extension String: Displayable {
    public var displayText: String { self }
    public var json: JSONValue { .string(self) }
}

extension Int: Displayable {
    public var displayText: String { String(self) }
    public var json: JSONValue { .integer(Int64(self)) }
}

extension Double: Displayable {
    public var displayText: String { String(self) }
    public var json: JSONValue { .number(self) }
}

extension Bool: Displayable {
    public var displayText: String { self ? "yes" : "no" }
    public var json: JSONValue { .bool(self) }
}

extension Optional: Displayable where Wrapped: Displayable {
    public var displayText: String { self?.displayText ?? "" }
    public var json: JSONValue { self?.json ?? .null }
}
