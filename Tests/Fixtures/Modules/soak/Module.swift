import AtriumKit
import Observation

/// Counts, and shows the build of each of its layers.
final class SoakModule: FeatureModule {
    private let tally = Tally()

    func register(in registry: ModuleRegistry) {
        registry.service(
            (any Press).self, live: .unavailable, local: { _ in SoakPress() }, mock: { _ in SoakPress() })
        registry.repository(Prints.self) { [tally] in Prints(press: try $0.service(), tally: tally) }
        registry.viewModel(SoakViewModel.self) {
            SoakViewModel(prints: try $0.repository(), later: $0.repositoryProvider())
        }
        registry.screen(SoakDestination.self) { SoakView(viewModel: try $0.viewModel()) }
    }

    func snapshot(version: Int) throws -> ModuleSnapshot? {
        try ModuleSnapshot(version: version, TallyState(count: tally.count))
    }

    func restore(_ snapshot: ModuleSnapshot) throws {
        tally.count = try snapshot.decode(TallyState.self).count
    }
}

/// The number of this build, which the soak test writes over the zeros in each library.
enum Build {
    static var mark: String { "build of the soak 00000000" }
}

/// The count of the module.
@MainActor final class Tally {
    var count = 0
}

/// The state for the next generation.
struct TallyState: Codable {
    let count: Int
}

protocol Press: Sendable {
    var build: String { get }
}

struct SoakPress: Press {
    var build: String { Build.mark }
}

@MainActor final class Prints {
    private let press: any Press
    private let tally: Tally
    var build: String { Build.mark }
    var buildOfService: String { press.build }
    var count: Int { tally.count }

    init(press: any Press, tally: Tally) {
        self.press = press
        self.tally = tally
    }

    func increment() {
        tally.count += 1
    }
}

@Observable final class SoakViewModel: ViewModel {
    private let prints: Prints
    private let later: Provider<Prints>
    var build: String { Build.mark }
    var buildOfRepository: String { prints.build }
    var buildOfService: String { prints.buildOfService }
    var count: Int { prints.count }

    init(prints: Prints, later: Provider<Prints>) {
        self.prints = prints
        self.later = later
    }

    /// The build of the service, resolved again.
    func buildOfServiceNow() throws -> String { try later().buildOfService }

    func increment() {
        prints.increment()
    }
}

struct SoakDestination: Destination {
    static let pattern: LinkPattern = "soak"
}

struct SoakView: View {
    let viewModel: SoakViewModel

    var body: Content {
        Field("count", viewModel.count)
        Field("view", Build.mark)
        Field("viewModel", viewModel.build)
        Field("repository", viewModel.buildOfRepository)
        Field("service", viewModel.buildOfService)
    }

    var actions: [Action] {
        Action("increment", "Counts one on") {
            viewModel.increment()
            return .updated
        }
        Action(
            "linger", "Lets others go first again and again, then shows the builds", Argument<Int>("turns")
        ) {
            turns in
            let began = viewModel.buildOfService
            for _ in 0..<turns { await Task.yield() }
            let now = try viewModel.buildOfServiceNow()
            return .content(
                Content {
                    Field("view", Build.mark)
                    Field("viewModel", viewModel.build)
                    Field("repository", viewModel.buildOfRepository)
                    Field("service", began)
                    Field("later", now)
                })
        }
    }
}
