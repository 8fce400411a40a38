/// A destination that is presented for a result: a choice, a new record.
///
/// ```swift
/// struct CategoryPicker: ResultDestination {
///     typealias Result = String
///     static let pattern: LinkPattern = "categories/pick"
/// }
/// ```
public protocol ResultDestination: Destination {
    /// The type of the result.
    associatedtype Result: Codable & Sendable
}

/// The name under which a view model's `receive(_:)` gets the result of a presented screen if no call waits
/// for it any more; it survives restarts.
public struct ResultSlot<Value: Codable & Sendable>: Sendable, Hashable {
    /// The name among the slots of a view model.
    public let name: String

    /// Creates a slot; keep its name between versions, since results arrive under it after a restart.
    public init(_ name: String) {
        self.name = name
    }
}

/// A result for a view model that no longer has a call waiting for it.
public struct ReturnedResult: Sendable {
    private let slot: String
    private let result: PresentedResult

    @_spi(Host) public init(slot: String, result: PresentedResult) {
        self.slot = slot
        self.result = result
    }

    /// Returns the result if it is for `slot`; throws ``ArgumentError`` if it is of another type, such as one
    /// of another version of the module.
    public func value<Value>(in slot: ResultSlot<Value>) throws -> Value? {
        guard slot.name == self.slot else { return nil }
        return try result.value(as: Value.self)
    }
}
