import AtriumKit

/// Something that was read, and from when it is.
struct Known<Value: Sendable>: Sendable {
    let value: Value
    /// When it was last seen at the service, where that can't be asked now; nil where it was asked.
    let asOf: Timestamp?

    init(_ value: Value, asOf: Timestamp? = nil) {
        self.value = value
        self.asOf = asOf
    }
}

extension Known: Equatable where Value: Equatable {}
