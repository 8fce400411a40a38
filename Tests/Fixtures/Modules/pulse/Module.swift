import AtriumKit
import Observation

/// Changes its screen by itself: counts up to a limit.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.repository(Beat.self, lifetime: .transient) { _ in Beat() }
        registry.viewModel(PulseViewModel.self) {
            PulseViewModel(
                viewport: $0.viewport, beat: $0.repositoryProvider(Beat.self), navigator: $0.navigator,
                tasks: $0.tasks)
        }
        registry.screen(Start.self) { StartView(viewModel: try $0.viewModel()) }
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "pulse"
}

/// Resolved for each step, so that a trace has something to print.
final class Beat {}

@MainActor @Observable
final class PulseViewModel: ViewModel {
    private(set) var count = 0
    private(set) var rows = 0
    /// How many of ``files`` were imported; nil if no import is running.
    private(set) var imported: Int?
    let files = 10
    let viewport: ViewportMonitor
    private let beat: Provider<Beat>
    private let navigator: any Navigator
    private let tasks: OwnedTasks
    @ObservationIgnored private var beats: Task<Void, Never>?

    init(
        viewport: ViewportMonitor, beat: Provider<Beat>, navigator: any Navigator, tasks: OwnedTasks
    ) {
        self.viewport = viewport
        self.beat = beat
        self.navigator = navigator
        self.tasks = tasks
    }

    isolated deinit {
        beats?.cancel()
    }

    func show(rows: Int) {
        self.rows = rows
    }

    /// Imports the files one by one, waiting before each of them.
    func importFiles(every milliseconds: Int) async throws {
        defer { imported = nil }
        for number in 0..<files {
            imported = number
            try await Task.sleep(for: .milliseconds(milliseconds))
        }
    }

    /// Leaves the screen after a delay.
    func depart(after milliseconds: Int) {
        tasks.run("departure") { [navigator] in
            try? await Task.sleep(for: .milliseconds(milliseconds))
            try? await navigator.back()
        }
    }

    /// Counts up to `limit`, waiting before each step.
    func count(to limit: Int, every milliseconds: Int) {
        beats?.cancel()
        beats = Task { [weak self] in
            while let self, count < limit {
                try? await Task.sleep(for: .milliseconds(milliseconds))
                guard !Task.isCancelled, (try? await beat()) != nil else { return }
                count += 1
            }
        }
    }
}

struct StartView: View {
    let viewModel: PulseViewModel

    var body: Content {
        Title("Pulse")
        Field("count", viewModel.count)
        Field("columns", viewModel.viewport.current.columns)
        if let imported = viewModel.imported {
            Progress("import", label: "Importing", completed: imported, of: viewModel.files)
        }
        if viewModel.rows > 0 {
            Table(Array(1...viewModel.rows)) {
                Column("row") { "row \($0)" }
                Column("count") { $0 * viewModel.count }
            }
        }
    }

    var actions: [Action] {
        Action(
            "beat", "Counts on by itself", Argument<Int>("to", "How far"),
            Argument("every", "Milliseconds from one step to the next", default: 100)
        ) { limit, milliseconds in
            viewModel.count(to: limit, every: milliseconds)
            return .updated
        }
        Action("rows", "Shows a table, too", Argument<Int>("count", "Of how many rows")) { count in
            viewModel.show(rows: count)
            return .updated
        }
        Action("import", "Imports files", Argument<Int>("every", "Milliseconds for each")) { time in
            try await viewModel.importFiles(every: time)
            return .updated("Imported.")
        }
        Action("depart", "Leaves the screen by itself", Argument<Int>("after", "Milliseconds")) { time in
            viewModel.depart(after: time)
            return .updated
        }
        Action("wait", "Takes its time", effect: .reads, Argument<Int>("milliseconds", "How long")) { time in
            try await Task.sleep(for: .milliseconds(time))
            return .content(Content { Text("Waited.") })
        }
        Action(
            "sign", "Takes its time, after a secret", effect: .reads,
            Argument<Int>("milliseconds", "How long"), Argument<String>("pin", isSecret: true)
        ) { time, _ in
            try await Task.sleep(for: .milliseconds(time))
            return .content(Content { Text("Signed.") })
        }
    }
}
