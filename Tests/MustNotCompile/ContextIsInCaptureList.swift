// Factories that name their context in a capture list.
// error: 'inList' is borrowed and cannot be consumed
// error: 'renamed' is borrowed and cannot be consumed
// error: 'inTask' is borrowed and cannot be consumed
// error: 'lent' is borrowed and cannot be consumed
import AtriumKit

final class PriceRepository {}
@MainActor var kept: @MainActor () -> Void = {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(PriceRepository.self, named: "same") { inList in
        kept = { [inList] in _ = inList.clock }
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "renamed") { renamed in
        kept = { [kept = renamed] in _ = kept }
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "task") { inTask in
        Task { [inTask] in _ = inTask.clock }
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "lent") { lent in
        [1].forEach { [lent] _ in _ = lent.clock }
        return PriceRepository()
    }
}
