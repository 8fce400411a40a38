/// The configuration of a module from `modules.json`, over the defaults of the module's manifest.
public struct Configuration: Sendable {
    private let values: [String: JSONValue]

    @_spi(Host) public init(_ values: [String: JSONValue]) {
        self.values = values
    }

    /// Returns the text of `key`; nil if neither `modules.json` nor the manifest has one, or for another
    /// type.
    public func string(_ key: String) -> String? { values[key]?.stringValue }

    /// Returns the whole number of `key`; nil if there is none.
    public func int(_ key: String) -> Int? {
        switch values[key] {
        case .integer(let value): Int(value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// Returns the number of `key`, whole or not; nil if there is none.
    public func double(_ key: String) -> Double? {
        switch values[key] {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// Returns the Boolean of `key`; nil if there is none.
    public func bool(_ key: String) -> Bool? {
        guard case .bool(let value) = values[key] else { return nil }
        return value
    }
}

/// A clock for the time of day; injected, so that tests can control it.
public protocol WallClock: Sendable {
    /// Returns the current moment.
    func now() -> Timestamp
}

/// A record of user activity, for repositories to report to after success.
public protocol Analytics: Sendable {
    func track(_ event: AnalyticsEvent)
}

/// An event of user activity.
public struct AnalyticsEvent: Sendable, Hashable {
    /// The name, in lower camel case: `profileSubmitted`.
    public let name: String
    /// Facts about it; never personal data, never secrets.
    public let properties: [String: String]

    /// Creates an event; `name` in lower camel case, `properties` without personal data or secrets.
    public init(_ name: String, _ properties: [String: String] = [:]) {
        self.name = name
        self.properties = properties
    }
}
