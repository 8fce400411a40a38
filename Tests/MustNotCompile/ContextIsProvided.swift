// Contexts that are resolved or contributed like values of a layer.
// error: instance method 'repositoryProvider(_:named:)' requires that 'RepositoryContext' conform
// error: instance method 'service(_:named:)' requires that 'ServiceContext' conform to 'Copyable'
// error: type 'UseCaseContext' does not conform to protocol 'Copyable'
import AtriumKit

@MainActor func make(_ useCase: borrowing UseCaseContext, _ repository: borrowing RepositoryContext) throws {
    _ = useCase.repositoryProvider(RepositoryContext.self)
    _ = try repository.service(ServiceContext.self)
    let point = ContributionPoint<UseCaseContext>("contexts")
    _ = point
}
