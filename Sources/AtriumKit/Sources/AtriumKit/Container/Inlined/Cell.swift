/// The part of a slot that code inlined into modules reads: what is there, without asking for types.
///
/// Never freed while its container lives, so that its address may be kept.
@frozen @usableFromInline struct Cell {
    /// What ``content`` is, and whether inlined code may use it.
    @usableFromInline var state: State
    /// A ``ValueBox`` in state `value`, a ``Factory`` in states `factory` and `building`; of the types that
    /// the key of the cell's slot names.
    @usableFromInline var content: Unmanaged<AnyObject>?
    /// What the factory receives.
    @usableFromInline var core: ContextCore

    @frozen @usableFromInline enum State: UInt8 {
        /// Resolution has to look closer.
        case closed
        /// The shared value is there.
        case value
        /// The factory may run.
        case factory
        /// The factory is running: to ask again is a cycle.
        case building
    }
}

extension Cell {
    /// The shared value of a cell in state `value`.
    ///
    /// Not isolated: a closure that a main-actor function hands to the standard library checks its executor
    /// on each call, at 45 ns.
    @inlinable @inline(__always)
    nonisolated static func value<Value>(of cell: UnsafeMutablePointer<Cell>) -> Value {
        cell.pointee.content.unsafelyUnwrapped._withUnsafeGuaranteedRef {
            unsafeDowncast($0, to: ValueBox<Value>.self).value
        }
    }

    /// Runs the factory of a cell in state `factory`.
    @inlinable @inline(__always)
    nonisolated static func build<Context: ~Copyable, Value>(
        _ cell: UnsafeMutablePointer<Cell>, _ context: borrowing Context
    ) throws -> Value {
        cell.pointee.state = .building
        defer { if cell.pointee.state == .building { cell.pointee.state = .factory } }
        return try unsafeDowncast(
            cell.pointee.content.unsafelyUnwrapped.takeUnretainedValue(), to: Factory<Context, Value>.self
        ).make(context)
    }
}

/// A shared value.
@_fixed_layout @usableFromInline final class ValueBox<Value> {
    @usableFromInline let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// What builds a value from its layer's context.
@_fixed_layout @usableFromInline final class Factory<Context: ~Copyable, Value> {
    @usableFromInline typealias Make = (borrowing Context) throws -> Value
    /// Runs on the main actor only; its type does not say so, because ``Cell/build(_:_:)`` is not isolated.
    @usableFromInline let make: Make

    init(_ make: @escaping @MainActor (borrowing Context) throws -> Value) {
        // The two function types differ in isolation only, which has no representation.
        self.make = unsafeBitCast(make, to: Make.self)
    }
}
