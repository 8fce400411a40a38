extension Container {
    /// What is registered as `type` in `layer`, asked for by the host or a test.
    ///
    /// - Throws: ``ResolutionError`` where it can't be built.
    public func value<Value>(_ type: Value.Type, _ layer: Layer, named name: String? = nil) throws -> Value {
        let request = Request(container: self, scope: nil)
        switch layer {
        case .infrastructure: return try resolve(type, named: name, InfrastructureContext.self, for: request)
        case .service: return try resolve(type, named: name, ServiceContext.self, for: request)
        case .repository: return try resolve(type, named: name, RepositoryContext.self, for: request)
        case .useCase: return try resolve(type, named: name, UseCaseContext.self, for: request)
        case .aggregateModel: return try resolve(type, named: name, AggregateModelContext.self, for: request)
        case .viewModel: return try resolve(type, named: name, ViewModelContext.self, for: request)
        default: preconditionFailure("\(layer.phrase) is not asked for by type.")
        }
    }

    /// The same, awaited where its factory has to be.
    ///
    /// - Throws: ``ResolutionError`` where it can't be built.
    public func awaitedValue<Value>(
        _ type: Value.Type, _ layer: Layer, named name: String? = nil
    ) async throws -> Value {
        let request = Request(container: self, scope: nil)
        switch layer {
        case .repository:
            return try await resolveAsynchronously(type, named: name, RepositoryContext.self, for: request)
        case .useCase:
            return try await resolveAsynchronously(type, named: name, UseCaseContext.self, for: request)
        case .aggregateModel:
            return try await resolveAsynchronously(
                type, named: name, AggregateModelContext.self, for: request)
        default: return try value(type, layer, named: name)
        }
    }

    /// What is built of arguments as `type` in `layer`, asked for by the host or a test.
    ///
    /// - Throws: ``ResolutionError`` where it can't be built.
    public func value<Value, First, each Argument>(
        _ type: Value.Type, _ layer: Layer, from first: First, _ argument: repeat each Argument
    ) throws -> Value {
        let request = Request(container: self, scope: nil)
        switch layer {
        case .useCase:
            return try resolve(type, UseCaseContext.self, for: request, first, repeat each argument)
        case .aggregateModel:
            return try resolve(type, AggregateModelContext.self, for: request, first, repeat each argument)
        case .viewModel:
            return try resolve(type, ViewModelContext.self, for: request, first, repeat each argument)
        default: preconditionFailure("\(layer.phrase) takes no arguments.")
        }
    }

    /// What modules added to `point`, in order.
    ///
    /// - Throws: ``ResolutionError`` for the first that can't be built.
    public func contributions<Element>(
        to point: ContributionPoint<Element>
    ) throws -> [Contribution<Element>] {
        try contributions(to: point, for: Request(container: self, scope: nil))
    }

    /// The same, each built or with the reason why it can't be: one that fails does not hide the others.
    public func contributionResults<Element>(
        to point: ContributionPoint<Element>
    ) -> [(module: String, element: Result<Contribution<Element>, any Error>)] {
        contributionResults(to: point, for: Request(container: self, scope: nil))
    }

    /// Builds view models for a stack entry that `navigator` moves.
    public func inEntry<Value>(
        of navigator: any Navigator, _ body: () throws -> Value
    ) rethrows -> (value: Value, entry: EntryScope) {
        let entry = EntryScope(navigator: navigator)
        return (try inEntry(entry, body), entry)
    }

    func inEntry<Value>(_ entry: EntryScope, _ body: () throws -> Value) rethrows -> Value {
        let outer = ambient.entry
        ambient.entry = entry
        defer { ambient.entry = outer }
        return try body()
    }
}
