extension Registration {
    /// Builds the value for its own sake, as verification and the preparation of a change do.
    func build(_ slot: Slot, for request: Request) async throws {
        switch kind {
        case .factory: try buildNow(slot, for: request)
        case .asynchronous: try await typedFactory?.build(slot, self, for: request)
        case .arguments, .screen: preconditionFailure("Who has the arguments builds it.")
        }
    }

    /// The same for a factory that need not be awaited.
    func buildNow(_ slot: Slot, for request: Request) throws {
        switch key.layer {
        case .infrastructure: try buildNow(key.type, InfrastructureContext.self, slot, request)
        case .service: try buildNow(key.type, ServiceContext.self, slot, request)
        case .repository: try buildNow(key.type, RepositoryContext.self, slot, request)
        case .useCase: try buildNow(key.type, UseCaseContext.self, slot, request)
        case .aggregateModel: try buildNow(key.type, AggregateModelContext.self, slot, request)
        case .viewModel: try buildNow(key.type, ViewModelContext.self, slot, request)
        case .contribution: try buildNow(key.type, ContributionContext.self, slot, request)
        case .screen, .list: preconditionFailure("Nothing of this layer is built by type.")
        }
    }

    private func buildNow<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, _ context: Context.Type, _ slot: Slot, _ request: Request
    ) throws {
        let _: Value = try slot.value(of: self, for: request) { try self.make($0, context) }
    }
}
