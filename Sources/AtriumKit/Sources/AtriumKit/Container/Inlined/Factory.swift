/// Builds a value from its layer's context: the typed view of an ``ErasedFactory``, with the same layout.
///
/// No instance is ever created: instantiating a generic class for each registered type took about half of the
/// time of registering.
@_fixed_layout @usableFromInline final class Factory<Context: ~Copyable, Value> {
    @usableFromInline typealias Make = (borrowing Context) throws -> Value
    /// Runs on the main actor only; its type does not say so, because ``Cell/build(_:_:)`` is not isolated.
    @usableFromInline let make: Make

    private init(_ make: @escaping Make) {
        self.make = make
    }
}

/// A type-erased factory: a function and what it captured.
class ErasedFactory {
    // The layout of Factory.make.
    private let function: UInt
    private let captured: AnyObject?

    /// The function in the form that ``Factory/make`` has: its argument and result in memory.
    private struct Box<Context: ~Copyable, Value> {
        let make: Factory<Context, Value>.Make
    }

    private struct Words {
        let function: UInt
        let captured: AnyObject?
    }

    init<Context: ~Copyable, Value>(_ make: @escaping @MainActor (borrowing Context) throws -> Value) {
        // The two function types differ in isolation only, which has no representation.
        let plain = unsafeBitCast(make, to: Factory<Context, Value>.Make.self)
        let words = unsafeBitCast(Box<Context, Value>(make: plain), to: Words.self)
        function = words.function
        captured = words.captured
    }

    /// Placeholder for a missing factory.
    init() {
        function = 0
        captured = nil
    }
}

extension Factory where Context: ~Copyable {
    /// Runs an ``ErasedFactory`` of these types, which the key of its registration names.
    ///
    /// Does not retain it: its slot keeps it, and refuses to be changed while it runs.
    @inlinable @inline(__always)
    nonisolated static func run(
        _ erased: Unmanaged<AnyObject>, _ context: borrowing Context
    ) throws -> Value {
        let typed = Unmanaged<Factory<Context, Value>>.fromOpaque(erased.toOpaque())
        return try typed._withUnsafeGuaranteedRef { try $0.make(context) }
    }
}
