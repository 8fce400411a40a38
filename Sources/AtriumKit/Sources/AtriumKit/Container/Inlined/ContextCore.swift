/// The content of every context: the cells to look in first, and the request.
@frozen @usableFromInline struct ContextCore {
    /// The cells that may be used directly; with an empty index the container resolves.
    @usableFromInline let index: UnsafeMutablePointer<CellIndex>
    /// The ``Request``, which outlives the context.
    @usableFromInline let request: Unmanaged<AnyObject>
}

/// The context of a layer's factories.
@MainActor
@usableFromInline protocol LayerContext: ~Copyable {
    /// The low bits of the words of the layer's registrations, from 0 to 7.
    nonisolated static var tag: UInt { get }

    init(_ core: ContextCore)
}

extension ContextCore {
    /// Resolves the registration of `Value` in the layer of `Context`.
    ///
    /// The key is the static type, never the type of `type` at run time: `Dog.self as Animal.Type` is
    /// possible, and the result is used as a `Value`.
    @inlinable @inline(__always)
    @MainActor func resolve<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, named name: String? = nil, _ context: Context.Type
    ) throws -> Value {
        if name == nil, let cell = index.pointee.cell(CellIndex.word(Value.self, Context.tag)) {
            if cell.pointee.state == .value { return Cell.value(of: cell) }
            if cell.pointee.state == .factory { return try Cell.build(cell, Context(cell.pointee.core)) }
        }
        return try resolveInContainer(type, named: name, context)
    }
}
