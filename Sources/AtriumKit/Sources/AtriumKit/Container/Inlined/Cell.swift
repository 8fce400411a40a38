/// The part of a slot that code inlined into modules reads.
///
/// Never freed while its container lives, so that its address may be kept.
@frozen @usableFromInline struct Cell {
    /// The kind of ``content``, and whether inlined code may use it.
    @usableFromInline var state: State
    /// A ``ValueBox`` in state `value`, an ``ErasedFactory`` in states `factory` and `building`; of the types
    /// that the key of the cell's slot names, and kept by the slot.
    @usableFromInline var content: Unmanaged<AnyObject>?
    /// The core of the context that the factory receives.
    @usableFromInline var core: ContextCore

    @frozen @usableFromInline enum State: UInt8 {
        /// The container has to resolve.
        case closed
        /// The shared value exists.
        case value
        /// The factory may run.
        case factory
        /// The factory is running: resolving the cell is a cycle.
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
        do {
            return try Factory<Context, Value>.run(cell.pointee.content.unsafelyUnwrapped, context)
        } catch {
            throw cell.pointee.core.passing(error)
        }
    }
}

@_fixed_layout @usableFromInline final class ValueBox<Value> {
    @usableFromInline let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
