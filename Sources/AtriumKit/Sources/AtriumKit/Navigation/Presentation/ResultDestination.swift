/// A destination that is presented in order to get something back: a choice, a new record.
///
/// ```swift
/// struct CategoryPicker: ResultDestination {
///     typealias Result = String
///     static let pattern: LinkPattern = "categories/pick"
/// }
/// ```
public protocol ResultDestination: Destination {
    /// What comes back.
    associatedtype Result: Codable & Sendable
}

/// Where the result of a presented screen arrives, by a name that survives restarts.
///
/// The view model that presents with a slot gets the result from its `receive(_:)` where the process, or the
/// view model, that waited for it is not there any more.
public struct ResultSlot<Value: Codable & Sendable>: Sendable, Hashable {
    /// Tells the slots of a view model apart.
    public let name: String

    public init(_ name: String) {
        self.name = name
    }
}

/// A result that arrives at a view model which does not wait for it.
public struct ReturnedResult: Sendable {
    private let slot: String
    private let result: PresentedResult

    @_spi(Host) public init(slot: String, result: PresentedResult) {
        self.slot = slot
        self.result = result
    }

    /// What came back, where it is for `slot`; else nil.
    ///
    /// - Throws: `DecodingError` if it has another form, as another version of the module may send it.
    public func value<Value>(in slot: ResultSlot<Value>) throws -> Value? {
        guard slot.name == self.slot else { return nil }
        return try result.value(as: Value.self)
    }
}
