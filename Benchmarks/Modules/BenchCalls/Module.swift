import AtriumKit

/// Calls a service through the proxy that the build writes, and without it.
final class CallsModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any CountService).self, live: { _ in Count() }, local: { _ in Count() }, mock: { _ in Count() })
        registry.repository(CountRepository.self) { CountRepository(service: try $0.service()) }
        registry.viewModel(CallsViewModel.self) { CallsViewModel(repository: try $0.repository()) }
        registry.screen(CallsDestination.self) { CallsView(viewModel: try $0.viewModel()) }
    }
}

protocol CountService: Sendable {
    func next(_ number: Int) -> Int
}

struct Count: CountService {
    @inline(never) func next(_ number: Int) -> Int { number &+ 1 }
}

/// The proxy without its branch.
final class Forwarder: CountService {
    private let service: any CountService

    init(_ service: any CountService) { self.service = service }

    func next(_ number: Int) -> Int { service.next(number) }
}

@MainActor final class CountRepository {
    /// The proxy in a host.
    let service: any CountService
    private var calling: Task<(calls: Int, time: Duration), Never>?

    init(service: any CountService) { self.service = service }

    /// - Returns: The time of so many calls, in nanoseconds.
    func cost(of side: CallSide, _ times: Int) -> Int {
        let called: any CountService =
            switch side {
            case .proxy: service
            case .forwarder: Forwarder(Count())
            case .service: Count()
            }
        return Int(Self.time(of: called, times) / .nanoseconds(1))
    }

    private static func time(of service: any CountService, _ times: Int) -> Duration {
        var number = 0
        return ContinuousClock().measure { for _ in 0..<times { number = service.next(number) } }
    }

    /// Makes `rate` calls a second, in groups of a millisecond, or as many as it can.
    func begin(rate: Int) {
        calling = Task.detached { [service] in
            let start = ContinuousClock.now
            var (calls, number) = (0, 0)
            while !Task.isCancelled {
                for _ in 0..<rate / 1_000 { number = service.next(number) }
                calls += rate / 1_000
                let due = start + .milliseconds(calls / (rate / 1_000))
                if due > .now { try? await Task.sleep(until: due) }
            }
            return (calls, start.duration(to: .now))
        }
    }

    /// - Returns: The calls a second since it began.
    func end() async -> Int {
        calling?.cancel()
        guard let (calls, time) = await calling?.value else { return 0 }
        return Int(Double(calls) / (time / .seconds(1)))
    }
}

enum CallSide: String, CaseIterable, ArgumentValue { case proxy, forwarder, service }

@MainActor final class CallsViewModel: ViewModel {
    private let repository: CountRepository

    init(repository: CountRepository) { self.repository = repository }

    func cost(of side: CallSide, _ times: Int) -> Int { repository.cost(of: side, times) }
    func begin(rate: Int) { repository.begin(rate: rate) }
    func end() async -> Int { await repository.end() }
}

struct CallsDestination: Destination {
    static let pattern: LinkPattern = "calls"
}

struct CallsView: View {
    let viewModel: CallsViewModel

    var body: Content { Title("Calls") }

    var actions: [Action] {
        Action(
            "cost", "Shows the time of calls, in nanoseconds", Argument<CallSide>("side"),
            Argument<Int>("times")
        ) { side, times in
            .content(Content { Field("time", viewModel.cost(of: side, times)) })
        }
        Action("begin", "Begins to make calls", Argument<Int>("rate")) { rate in
            viewModel.begin(rate: rate)
            return .updated
        }
        Action("end", "Stops, and shows the calls a second") {
            let rate = await viewModel.end()
            return .content(Content { Field("rate", rate) })
        }
    }
}
