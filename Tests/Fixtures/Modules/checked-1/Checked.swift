import AtriumKit
import Glibc

/// A health check fails while there is a file `sick` in the module's folder, and ends the host at a file `fatal`; `Build` says what the builds differ in.
final class CheckedModule: FeatureModule {
    static var migrations: [Migration] { Build.migrations }

    func register(in registry: ModuleRegistry) {
        registry.service(
            MarkService.self, live: { MarkService(database: $0.database, folder: try $0.dataFolder) },
            local: { MarkService(database: $0.database, folder: try $0.dataFolder) },
            mock: { MarkService(database: $0.database, folder: try $0.dataFolder) })
        registry.repository(MarkRepository.self) { MarkRepository(service: try $0.service()) }
        registry.contribute(to: .healthChecks) { context in
            let repository = try context.repository(MarkRepository.self)
            return HealthCheck("marks") { try await repository.check() }
        }
        registry.viewModel(MarksViewModel.self) { MarksViewModel(repository: try $0.repository()) }
        registry.screen(Marks.self) { MarksView(viewModel: try $0.viewModel()) }
    }
}

final class MarkService: Sendable {
    private let database: any Database
    private let folder: String

    init(database: any Database, folder: String) {
        self.database = database
        self.folder = folder
    }

    func count() async throws -> Int {
        try await database.read { connection in
            try connection.first("SELECT count(*) FROM marks") { try $0.value(0) } ?? 0
        }
    }

    func add() async throws {
        _ = try await database.write {
            try $0.execute("INSERT INTO marks (build) VALUES (?)", [.text(Build.version)])
        }
    }

    var isSick: Bool { has("sick") }
    var isFatal: Bool { has("fatal") }

    private func has(_ file: String) -> Bool { Build.canBeSick && access("\(folder)/\(file)", F_OK) == 0 }
}

@MainActor final class MarkRepository {
    private let service: MarkService

    init(service: MarkService) { self.service = service }

    func check() async throws -> String {
        precondition(!service.isFatal, "This build can't work here.")
        guard !service.isSick else { throw ServiceError("sick", "This host is sick.") }
        return "\(try await service.count()) can be read"
    }

    func count() async throws -> Int { try await service.count() }
    func add() async throws { try await service.add() }
}

@MainActor
final class MarksViewModel: ViewModel {
    private let repository: MarkRepository
    private(set) var count = 0

    init(repository: MarkRepository) { self.repository = repository }

    func load() async throws { count = try await repository.count() }

    func add() async throws -> ActionResult {
        try await repository.add()
        try await load()
        return .updated
    }
}

struct Marks: Destination {
    static let pattern: LinkPattern = "marks"
}

struct MarksView: View {
    let viewModel: MarksViewModel

    var body: Content {
        Content {
            Field("build", Build.version)
            Field("marks", viewModel.count)
        }
    }

    var actions: [Action] {
        Action("add", "Add a mark") { try await viewModel.add() }
    }

    func load() async throws { try await viewModel.load() }
}
