/// The values that `modules.json` gives a module, over the defaults of the module's manifest.
public struct Configuration: Sendable {
    private let values: [String: JSONValue]

    @_spi(Host) public init(_ values: [String: JSONValue]) {
        self.values = values
    }

    /// The value of `key`; nil where neither `modules.json` nor the manifest has one, or of another type.
    public func string(_ key: String) -> String? {
        values[key]?.stringValue
    }

    /// The whole number of `key`; nil where there is none.
    public func int(_ key: String) -> Int? {
        switch values[key] {
        case .integer(let value): Int(value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number of `key`, whole or not; nil where there is none.
    public func double(_ key: String) -> Double? {
        switch values[key] {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The truth value of `key`; nil where there is none.
    public func bool(_ key: String) -> Bool? {
        guard case .bool(let value) = values[key] else { return nil }
        return value
    }
}
