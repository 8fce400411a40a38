extension ModuleRegistry {
    /// Registers data for demos and tests, which the command `seed NAME` adds.
    ///
    /// It is added through the module's repositories, so that their rules hold; the modules that this one
    /// requires have added theirs of the same name before.
    ///
    /// ```swift
    /// registry.seed("demo") { context in
    ///     let books: RecordRepository<Book> = try context.repository()
    ///     _ = try await books.create(Book(title: "Dune", author: "Frank Herbert"))
    /// }
    /// ```
    public func seed(_ name: String, _ run: @escaping @MainActor (borrowing SeedContext) async throws -> Void)
    {
        add(ModuleSeed(name: name, run: run))
    }
}

/// A seed of a module: a name, and the code that adds the data.
@_spi(Host) public struct ModuleSeed {
    public let name: String
    /// The modules without which there is no such data.
    public internal(set) var needs: [String] = []
    private let run: @MainActor (borrowing SeedContext) async throws -> Void

    init(name: String, run: @escaping @MainActor (borrowing SeedContext) async throws -> Void) {
        (self.name, self.run) = (name, run)
    }

    /// Adds the data on behalf of the module with this scope.
    @MainActor public func add(in container: Container, for scope: ModuleScope) async throws {
        try await run(SeedContext(container, for: scope))
    }
}

/// The context of a seed; can't be stored or captured.
@MainActor
public struct SeedContext: ~Copyable {
    private let request: Request

    init(_ container: Container, for scope: ModuleScope) {
        request = Request(container: container, scope: scope)
    }

    /// The repository registered as `type`.
    public func repository<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) throws -> Repository {
        try request.core.resolve(type, named: name, RepositoryContext.self)
    }

    /// The use case registered as `type`.
    public func useCase<UseCase>(
        _ type: UseCase.Type = UseCase.self, named name: String? = nil
    ) throws -> UseCase {
        try request.core.resolve(type, named: name, UseCaseContext.self)
    }

    /// The log, under the module's name.
    public var logger: Logger { request.core.infrastructure.logger }
    /// The time of day, which `--clock` can fix.
    public var clock: any WallClock { request.core.infrastructure.clock }
    /// Ids for new things; use these, not random ones, so that `--clock` gives the same ids in each run.
    public var ids: IDSource { request.core.infrastructure.ids }
}
