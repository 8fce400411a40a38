/// Something that was read, and from when it is.
///
/// What repositories of environment live hand out that fall back to ``AnswerCopies`` when the server can't be
/// asked.
public struct Known<Value: Sendable>: Sendable {
    public let value: Value
    /// When it was last seen at the service, where that can't be asked now; nil where it was asked.
    public let asOf: Timestamp?

    public init(_ value: Value, asOf: Timestamp? = nil) {
        self.value = value
        self.asOf = asOf
    }
}

extension Known: Equatable where Value: Equatable {}
