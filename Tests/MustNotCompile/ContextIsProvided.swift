// Contexts asked for, or contributed, as if they were values of a layer.
// error: instance method 'serviceProvider(_:named:)' requires that 'RepositoryContext' conform
// error: instance method 'service' requires that 'ServiceContext' conform to 'Copyable'
// error: type 'UseCaseContext' does not conform to protocol 'Copyable'
import AtriumKit

@MainActor func make(_ context: borrowing RepositoryContext) throws {
    _ = context.serviceProvider(RepositoryContext.self)
    _ = try context.service(ServiceContext.self)
    let point = ContributionPoint<UseCaseContext>("contexts")
    _ = point
}
