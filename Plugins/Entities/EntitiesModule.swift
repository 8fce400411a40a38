import AtriumKit

/// Browsing, searching and editing entities.
final class EntitiesModule: FeatureModule {
    static var migrations: [Migration] { EntityQueries.migrations }

    func register(in registry: ModuleRegistry) throws {
        registry.service(
            (any EntityService).self,
            live: .unavailable,
            local: { LocalEntityService(database: $0.database, clock: $0.clock) },
            mock: { MockEntityService(scenario: MockScenario($0.configuration), clock: $0.clock) })
        registry.repository(EntityRepository.self) {
            EntityRepository(entities: try $0.service(), analytics: $0.analytics)
        }
        registry.contribute(to: .healthChecks) { context in
            let repository = try context.repository(EntityRepository.self)
            return HealthCheck("entities") {
                "\(try await repository.page(EntityQuery()).total) can be read"
            }
        }
        registry.viewModel(EntityListViewModel.self) { (context, place: EntityList) in
            let viewModel = EntityListViewModel(
                place: place, repository: try context.repository(), navigator: context.navigator,
                viewport: context.viewport)
            let updates = context.viewport.updates
            context.tasks.run("page size") { [weak viewModel] in
                for await _ in updates { await viewModel?.fitToViewport() }
            }
            return viewModel
        }
        registry.viewModel(EntityDetailViewModel.self) { (context, id: Int) in
            EntityDetailViewModel(id: id, repository: try context.repository())
        }
        registry.viewModel(NewEntityViewModel.self) {
            NewEntityViewModel(repository: try $0.repository(), navigator: $0.navigator)
        }
        registry.viewModel(CategoryPickerViewModel.self) { (context, query: CategoryQuery) in
            CategoryPickerViewModel(query: query, repository: try context.repository())
        }
        registry.screen(EntityList.self) {
            EntityListView(viewModel: try $0.viewModel($0.destination))
        }
        registry.screen(EntityDetail.self) {
            EntityDetailView(viewModel: try $0.viewModel($0.destination.id))
        }
        registry.screen(NewEntity.self) { NewEntityView(viewModel: try $0.viewModel()) }
        registry.screen(CategoryPicker.self) {
            CategoryPickerView(viewModel: try $0.viewModel($0.destination.query))
        }
    }
}
