@_spi(Host) public import AtriumKit

/// One of ten thousand types that fill containers.
protocol Filler: AnyObject {
    init()
}

final class Tag<First, Second>: Filler {
    let number = 1

    init() {}
}

private enum Pair<First, Second> {}
private enum D0 {}
private enum D1 {}
private enum D2 {}
private enum D3 {}
private enum D4 {}
private enum D5 {}
private enum D6 {}
private enum D7 {}
private enum D8 {}
private enum D9 {}
private enum D10 {}

/// A hundred registrations of one module: a model that resolves nine use cases, each of which resolves ten
/// repositories.
@MainActor
public final class FillerModule {
    public static let size = 100

    private typealias Ask<Context: ~Copyable> = @MainActor (borrowing Context) throws -> Void

    public let number: Int
    private var registerings: [@MainActor (ModuleRegistry, Lifetime) -> Void] = []
    private var fillings: [@MainActor (Dictionary) -> Void] = []
    private var keys: [ObjectIdentifier] = []
    private var ask: Ask<ViewModelContext> = { _ in }
    private var askDictionary: @MainActor (Dictionary) -> Void = { _ in }

    /// The modules of a container with `count` registrations.
    public static func all(_ count: Int) -> [FillerModule] {
        let digits: [any Any.Type] = [
            D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
            D10.self,
        ]
        let pairs = digits.flatMap { first in digits.map { second in pair(first, second) } }
        return stride(from: 0, to: count, by: size).map { first in
            let number = first / size
            return FillerModule(
                number, pairs.prefix(min(size, count - first)).map { tag(pairs[number], $0) })
        }
    }

    private static func pair(_ first: any Any.Type, _ second: any Any.Type) -> any Any.Type {
        func open<First, Second>(_ first: First.Type, _ second: Second.Type) -> any Any.Type {
            Pair<First, Second>.self
        }
        return open(first, second)
    }

    private static func tag(_ first: any Any.Type, _ second: any Any.Type) -> any Filler.Type {
        func open<First, Second>(_ first: First.Type, _ second: Second.Type) -> any Filler.Type {
            Tag<First, Second>.self
        }
        return open(first, second)
    }

    private init(_ number: Int, _ types: [any Filler.Type]) {
        self.number = number
        var useCases: [any Filler.Type] = []
        for first in stride(from: 1, to: types.count, by: 11) {
            let repositories = Array(types[(first + 1)..<min(first + 11, types.count)])
            for type in repositories { addRepository(type) }
            addUseCase(types[first], asking: repositories)
            useCases.append(types[first])
        }
        addModel(types[0], asking: useCases)
    }

    // MARK: - Through the container

    /// Registers everything as one module.
    public func register(in registry: ModuleRegistry, _ lifetime: Lifetime) {
        for register in registerings { register(registry, lifetime) }
    }

    /// Resolves the model, which resolves everything else.
    func resolve(_ context: borrowing ViewModelContext) throws {
        try ask(context)
    }

    // MARK: - Through a bare dictionary

    /// The closures of all registrations by type; all that is asked of it is there, so it unwraps without a check.
    public final class Dictionary {
        var factories: [ObjectIdentifier: () -> Any] = [:]

        public init() {}

        func resolve<Value>(_ type: Value.Type) -> Value {
            factories[ObjectIdentifier(type)]!() as! Value
        }
    }

    public func fill(_ dictionary: Dictionary) {
        for fill in fillings { fill(dictionary) }
    }

    public func resolve(_ dictionary: Dictionary) {
        askDictionary(dictionary)
    }

    public func remove(from dictionary: Dictionary) {
        for key in keys { dictionary.factories[key] = nil }
    }

    // MARK: - Registrations

    private func addRepository<Value: Filler>(_ type: Value.Type) {
        keys.append(ObjectIdentifier(type))
        registerings.append { registry, lifetime in
            registry.repository(type, lifetime: lifetime) { _ in Value() }
        }
        fillings.append { $0.factories[ObjectIdentifier(type)] = { Value() } }
    }

    private func addUseCase<Value: Filler>(_ type: Value.Type, asking others: [any Filler.Type]) {
        keys.append(ObjectIdentifier(type))
        let asks = others.map { askRepository($0) }
        let dictionaryAsks = others.map { askDictionary($0) }
        registerings.append { registry, lifetime in
            registry.useCase(type, lifetime: lifetime) { context in
                for ask in asks { try ask(context) }
                return Value()
            }
        }
        fillings.append { dictionary in
            dictionary.factories[ObjectIdentifier(type)] = { [unowned(unsafe) dictionary] in
                for ask in dictionaryAsks { ask(dictionary) }
                return Value()
            }
        }
    }

    private func addModel<Value: Filler>(_ type: Value.Type, asking others: [any Filler.Type]) {
        keys.append(ObjectIdentifier(type))
        let asks = others.map { askUseCase($0) }
        let dictionaryAsks = others.map { askDictionary($0) }
        registerings.append { registry, lifetime in
            registry.aggregateModel(type, lifetime: lifetime) { context in
                for ask in asks { try ask(context) }
                return Value()
            }
        }
        fillings.append { dictionary in
            dictionary.factories[ObjectIdentifier(type)] = { [unowned(unsafe) dictionary] in
                for ask in dictionaryAsks { ask(dictionary) }
                return Value()
            }
        }
        ask = { sink(try $0.aggregateModel(type)) }
        let askModel = askDictionary(type)
        askDictionary = { askModel($0) }
    }

    private func askRepository<Value: Filler>(_ type: Value.Type) -> Ask<UseCaseContext> {
        { sink(try $0.repository(type)) }
    }

    private func askUseCase<Value: Filler>(_ type: Value.Type) -> Ask<AggregateModelContext> {
        { sink(try $0.useCase(type)) }
    }

    private func askDictionary<Value: Filler>(_ type: Value.Type) -> (Dictionary) -> Void {
        { sink($0.resolve(type)) }
    }
}

/// A screen's view model that resolves everything that the groups registered.
final class WalkViewModel: ViewModel {}

struct WalkView: View {
    let viewModel: WalkViewModel
    var body: Content { Text("Walk") }
}

public struct WalkDestination: Destination {
    public static let pattern: LinkPattern = "walk"

    public init() {}
}

extension FillerModule {
    /// Registers a screen whose view model resolves all of `groups`.
    public static func registerWalk(of groups: [FillerModule], in registry: ModuleRegistry) {
        registry.viewModel(WalkViewModel.self) { context in
            let start = LoopWatch.start()
            for group in groups { try group.resolve(context) }
            LoopWatch.stop(start)
            return WalkViewModel()
        }
        registry.screen(WalkDestination.self) { WalkView(viewModel: try $0.viewModel()) }
    }

    /// Resolves the same from a dictionary.
    public static func walk(_ groups: [FillerModule], _ dictionary: Dictionary) {
        let start = LoopWatch.start()
        for group in groups { group.resolve(dictionary) }
        LoopWatch.stop(start)
    }
}
