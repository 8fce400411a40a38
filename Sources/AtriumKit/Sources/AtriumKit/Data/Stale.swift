/// A value that may be old.
///
/// Repositories that fall back to an ``OfflineStore`` return it, so that screens can show a ``StaleNotice``.
public struct Stale<Value: Sendable>: Sendable {
    public let value: Value
    /// When the value was last seen at the service; nil if the service answered just now.
    public let asOf: Timestamp?

    public init(_ value: Value, asOf: Timestamp? = nil) {
        self.value = value
        self.asOf = asOf
    }
}

extension Stale: Equatable where Value: Equatable {}
