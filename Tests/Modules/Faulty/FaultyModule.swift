import AtriumKit
import Observation

/// Registers types that can't be built, one for each kind of error.
final class FaultyModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.repository(Hours.self) { Hours(clock: try $0.service()) }
        registry.viewModel(HoursViewModel.self) { HoursViewModel(hours: try $0.repository()) }
        registry.screen(ClockDestination.self) { PlainView(viewModel: try $0.viewModel() as HoursViewModel) }
        registry.screen(HoursDestination.self) { PlainView(viewModel: try $0.viewModel() as HoursViewModel) }

        registry.service(
            Printer.self, live: .unavailable, local: { _ in Printer() }, mock: { _ in throw OutOfPaper() })
        registry.repository(Prints.self) { Prints(printer: try $0.service()) }
        registry.viewModel(PrintsViewModel.self) { PrintsViewModel(prints: try $0.repository()) }
        registry.screen(PrinterDestination.self) {
            PlainView(viewModel: try $0.viewModel() as PrintsViewModel)
        }

        registry.useCase(Selection.self, lifetime: .entry) { _ in Selection() }
        registry.aggregateModel(Basket.self) { Basket(selection: try $0.useCase()) }
        registry.viewModel(BasketViewModel.self) { BasketViewModel(basket: try $0.aggregateModel()) }
        registry.screen(BasketDestination.self) {
            PlainView(viewModel: try $0.viewModel() as BasketViewModel)
        }

        registry.aggregateModel(Attic.self) { _ in Attic() }
        registry.viewModel(LeakViewModel.self) {
            LeakViewModel(attic: try $0.aggregateModel(), selection: try $0.useCase())
        }
        registry.screen(LeakDestination.self) { PlainView(viewModel: try $0.viewModel() as LeakViewModel) }

        registry.viewModel(SignViewModel.self) { SignViewModel(sign: try $0.repository()) }
        registry.screen(SignDestination.self) { PlainView(viewModel: try $0.viewModel() as SignViewModel) }
    }
}

final class Hours {
    init(clock: any WallClock) {}
}

final class Printer: Sendable {}

struct OutOfPaper: ExplainedError {
    let code: ErrorCode = "outOfPaper"
    let message = "The printer is out of paper."
    let hint: String? = "Add paper."
}

final class Prints {
    init(printer: Printer) {}
}

final class Selection {}

final class Basket {
    init(selection: Selection) {}
}

final class Sign {}

/// Leaks objects on purpose.
final class Attic {
    var kept: [AnyObject] = []
}

@Observable final class HoursViewModel: ViewModel {
    init(hours: Hours) {}
}

@Observable final class PrintsViewModel: ViewModel {
    init(prints: Prints) {}
}

@Observable final class BasketViewModel: ViewModel {
    init(basket: Basket) {}
}

@Observable final class LeakViewModel: ViewModel {
    init(attic: Attic, selection: Selection) {
        attic.kept = [self, selection]
    }
}

@Observable final class SignViewModel: ViewModel {
    init(sign: Sign) {}
}

struct PlainView<Model: ViewModel>: View {
    let viewModel: Model

    var body: Content { Title("\(Model.self)") }
}

struct ClockDestination: Destination {
    static let pattern: LinkPattern = "faulty/clock"
}

struct HoursDestination: Destination {
    static let pattern: LinkPattern = "faulty/hours"
}

struct PrinterDestination: Destination {
    static let pattern: LinkPattern = "faulty/printer"
}

struct BasketDestination: Destination {
    static let pattern: LinkPattern = "faulty/basket"
}

struct LeakDestination: Destination {
    static let pattern: LinkPattern = "faulty/leak"
}

struct SignDestination: Destination {
    static let pattern: LinkPattern = "faulty/sign"
}
