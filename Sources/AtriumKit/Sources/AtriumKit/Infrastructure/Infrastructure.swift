/// The values that `modules.json` gives a module, over the defaults of the module's manifest.
public struct Configuration: Sendable {
    private let values: [String: JSONValue]

    @_spi(Host) public init(_ values: [String: JSONValue]) {
        self.values = values
    }

    /// The value of `key`; nil if neither `modules.json` nor the manifest has one, or of another type.
    public func string(_ key: String) -> String? { values[key]?.stringValue }

    /// The whole number of `key`; nil if there is none.
    public func int(_ key: String) -> Int? {
        switch values[key] {
        case .integer(let value): Int(value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number of `key`, whole or not; nil if there is none.
    public func double(_ key: String) -> Double? {
        switch values[key] {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The truth value of `key`; nil if there is none.
    public func bool(_ key: String) -> Bool? {
        guard case .bool(let value) = values[key] else { return nil }
        return value
    }
}

/// Reads the time of day; injected, so that tests can control it.
public protocol WallClock: Sendable {
    /// The present moment.
    func now() -> Timestamp
}

/// Records what people did, for repositories to report after success.
public protocol Analytics: Sendable {
    func track(_ event: AnalyticsEvent)
}

/// Something that a person did.
public struct AnalyticsEvent: Sendable, Hashable {
    /// What happened, in lower camel case: `profileSubmitted`.
    public let name: String
    /// Facts about it; never personal data, never secrets.
    public let properties: [String: String]

    public init(_ name: String, _ properties: [String: String] = [:]) {
        self.name = name
        self.properties = properties
    }
}
