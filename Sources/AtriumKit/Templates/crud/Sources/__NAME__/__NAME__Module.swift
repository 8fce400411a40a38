import AtriumKit

/// Registers what the module adds to the application.
final class __NAME__Module: FeatureModule {
    static let migrations = LocalItemService.migrations

    func register(in registry: ModuleRegistry) {
        registry.service(
            (any ItemService).self, live: .unavailable, local: { LocalItemService(database: $0.database) },
            mock: { MockItemService(behavior: $0.mock((any ItemService).self)) })
        registry.repository(ItemRepository.self) { ItemRepository(items: try $0.service()) }
        registry.contribute(to: .guards) { EditableGuard.make(repository: $0.repositoryProvider()) }
        registerScreens(in: registry)
    }

    private func registerScreens(in registry: ModuleRegistry) {
        registry.viewModel(__NAME__ViewModel.self) { (context, destination: __NAME__Destination) in
            __NAME__ViewModel(destination, items: try context.repository(), navigator: context.navigator)
        }
        registry.viewModel(ItemDetailViewModel.self) { (context, id: Int) in
            ItemDetailViewModel(id: id, items: try context.repository(), navigator: context.navigator)
        }
        registry.viewModel(ItemFormViewModel.self) { (context, id: Int?) in
            ItemFormViewModel(id: id, items: try context.repository(), navigator: context.navigator)
        }
        registry.viewModel(CategoryPickerViewModel.self) {
            CategoryPickerViewModel(items: try $0.repository())
        }
        registry.screen(__NAME__Destination.self) {
            __NAME__View(viewModel: try $0.viewModel($0.destination))
        }
        registry.screen(ItemDetail.self) { ItemDetailView(viewModel: try $0.viewModel($0.destination.id)) }
        registry.screen(NewItem.self) { ItemFormView(viewModel: try $0.viewModel(Int?.none)) }
        registry.screen(EditItem.self) {
            ItemFormView(viewModel: try $0.viewModel(Int?.some($0.destination.id)))
        }
        registry.screen(CategoryPicker.self) { CategoryPickerView(viewModel: try $0.viewModel()) }
    }
}

/// Refuses the form of an archived item: the repository would not store the input.
@MainActor
enum EditableGuard {
    static func make(repository: Provider<ItemRepository>) -> NavigationGuard {
        NavigationGuard(.editableItem, "The item is not archived") { attempt in
            guard let edit = attempt.destination as? EditItem else { return .allow }
            let item = try await repository().item(edit.id)
            guard item.isArchived else { return .allow }
            let refusal = ServiceError.archived(item)
            return .deny(refusal.message, hint: refusal.hint)
        }
    }
}
