// A context stored by unsafe functions, which require a copyable value or an object.
// error: generic struct 'Unmanaged' requires that 'RepositoryContext' be a class type
// error: global function 'unsafeBitCast(_:to:)' requires that 'UseCaseContext' conform to 'Copyable'
// error: instance method 'load(fromByteOffset:as:)' requires that 'ServiceContext' conform to 'Copyable'
// error: argument type 'ViewModelContext' does not conform to expected type 'Copyable'
// error: cannot pass immutable value as inout argument: 'context' is a 'let' constant
import AtriumKit

@MainActor func unmanaged(_ context: borrowing RepositoryContext) {
    _ = Unmanaged.passRetained(context)
}

@MainActor func bits(_ context: borrowing UseCaseContext) {
    _ = unsafeBitCast(context, to: (UInt, UInt).self)
}

@MainActor func load(_ context: borrowing ServiceContext) {
    _ = withUnsafePointer(to: context) { UnsafeRawPointer($0).load(as: ServiceContext.self) }
}

@MainActor func mirror(_ context: borrowing ViewModelContext) {
    _ = Mirror(reflecting: context)
}

@MainActor func address(_ context: borrowing AggregateModelContext) {
    _ = UnsafeRawPointer(&context)
}
