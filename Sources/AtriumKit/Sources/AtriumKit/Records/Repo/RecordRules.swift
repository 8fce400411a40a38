/// The rules of a module for changes of its records, beyond those of the fields.
///
/// Each closure may change the record, or throw the reason that the change is refused. With rules, changes are
/// made one at a time here; other hosts on the same data make theirs at the same time.
@MainActor
public struct RecordRules<Item: Record> {
    /// Runs before a record is stored for the first time; in an import for each row, before any is stored.
    public var beforeCreate: (@MainActor (inout Item) async throws -> Void)?
    /// Runs before a changed record is stored, with the record as it was; also, unchanged, before its form
    /// opens.
    public var beforeUpdate: (@MainActor (inout Item, Item) async throws -> Void)?
    /// Runs before a record is deleted.
    public var beforeDelete: (@MainActor (Item) async throws -> Void)?

    /// Creates the rules that a closure sets.
    public init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }

    var isEmpty: Bool { beforeCreate == nil && beforeUpdate == nil && beforeDelete == nil }
}
