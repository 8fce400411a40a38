import AtriumKit

/// Yields on the main actor without pause, and records the longest wait for its turn.
final class PulseModule: FeatureModule {
    private let pulse = Pulse()

    func register(in registry: ModuleRegistry) {
        registry.repository(Pulse.self) { [pulse] _ in pulse }
        registry.viewModel(PulseViewModel.self) { PulseViewModel(pulse: try $0.repository()) }
        registry.screen(PulseDestination.self) { PulseView(viewModel: try $0.viewModel()) }
    }
}

@MainActor final class Pulse {
    private var beating: Task<Void, Never>?
    private var longest = Duration.zero

    func begin() {
        longest = .zero
        beating = Task {
            var last = ContinuousClock.now
            while !Task.isCancelled {
                await Task.yield()
                let now = ContinuousClock.now
                longest = max(longest, now - last)
                last = now
            }
        }
    }

    /// - Returns: The longest wait for a turn, in nanoseconds.
    func end() async -> Int {
        beating?.cancel()
        await beating?.value
        return Int(longest / .nanoseconds(1))
    }
}

@MainActor final class PulseViewModel: ViewModel {
    private let pulse: Pulse

    init(pulse: Pulse) {
        self.pulse = pulse
    }

    func begin() {
        pulse.begin()
    }

    func end() async -> Int { await pulse.end() }
}

struct PulseDestination: Destination {
    static let pattern: LinkPattern = "pulse"
}

struct PulseView: View {
    let viewModel: PulseViewModel

    var body: Content { Title("Pulse") }

    var actions: [Action] {
        Action("begin", "Begins to beat") {
            viewModel.begin()
            return .updated
        }
        Action("end", "Stops, and shows the longest pause since it began") {
            let pause = await viewModel.end()
            return .content(Content { Field("pause", pause) })
        }
    }
}
