// A screen that resolves a repository.
// error: value of type 'ScreenContext<PriceList>' has no member 'repository'
import AtriumKit

final class PriceRepository {}
struct PriceList: Destination { static let pattern: LinkPattern = "prices" }
struct PriceView: View {
    let repository: PriceRepository
    var body: Content { Title("Prices") }
}

@MainActor func register(in registry: ModuleRegistry) {
    registry.screen(PriceList.self) { context in
        let repository: PriceRepository = try context.repository()
        return PriceView(repository: repository)
    }
}
