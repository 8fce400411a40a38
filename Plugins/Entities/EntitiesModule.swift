import AtriumKit

/// Browsing, searching and editing entities.
final class EntitiesModule: FeatureModule {
    static var migrations: [Migration] { EntityQueries.migrations }

    func register(in registry: ModuleRegistry) throws {
        registry.service(
            (any EntityService).self,
            live: { LiveEntityService(api: $0.api) },
            local: { LocalEntityService(database: $0.database, clock: $0.clock) },
            mock: { MockEntityService(behavior: $0.mock((any EntityService).self), clock: $0.clock) })
        registry.service(
            (any EntityOfflineStore).self,
            live: {
                OfflineStore(
                    database: $0.database, server: $0.api.server, clock: $0.clock, logger: $0.logger)
            },
            local: { _ in OfflineStore.none }, mock: { _ in OfflineStore.none })
        registry.repository(EntityRepository.self) {
            EntityRepository(
                service: try $0.service(), offline: try $0.service(), session: $0.session,
                analytics: $0.analytics, clock: $0.clock, announced: $0.changes(LocalEntityService.topic))
        }
        registry.aggregateModel(EntityModel.self) { EntityModel(repository: try $0.repository()) }
        registry.contribute(to: .healthChecks) { context in
            let repository = try context.repository(EntityRepository.self)
            return HealthCheck("entities") { "\(try await repository.total()) can be read" }
        }
        registry.viewModel(EntityListViewModel.self) { (context, destination: EntityList) in
            let viewModel = EntityListViewModel(
                destination: destination, model: try context.aggregateModel(), navigator: context.navigator,
                viewport: context.viewport)
            let tasks = context.tasks
            context.viewport.observe(viewModel) { viewModel, _ in
                tasks.run("page size") { await viewModel.fitToViewport() }
            }
            return viewModel
        }
        registry.viewModel(EntityDetailViewModel.self) { (context, id: Int) in
            EntityDetailViewModel(id: id, model: try context.aggregateModel())
        }
        registry.viewModel(NewEntityViewModel.self) {
            NewEntityViewModel(model: try $0.aggregateModel(), navigator: $0.navigator)
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
