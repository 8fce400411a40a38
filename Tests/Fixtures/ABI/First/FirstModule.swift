import AtriumKit
import Observation

/// Uses a broad part of the first AtriumKit; compiled against its recorded interface alone.
final class FirstModule: FeatureModule {
    static var migrations: [Migration] {
        [
            Migration(
                1, "create jars",
                sql: "CREATE TABLE jars (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, filled INTEGER)")
        ]
    }

    func register(in registry: ModuleRegistry) throws {
        registry.service(
            (any JarService).self,
            live: .unavailable,
            local: {
                StoredJars(
                    database: $0.database, clock: $0.clock, shelf: $0.configuration.string("shelf") ?? "")
            },
            mock: { _ in NoJars() })
        registry.repository(JarRepository.self) {
            JarRepository(service: try $0.service(), analytics: $0.analytics, logger: $0.logger)
        }
        registry.useCase(Counting.self) { Counting(jars: try $0.repository()) }
        registry.viewModel(JarsViewModel.self) {
            JarsViewModel(jars: try $0.repository(), navigator: $0.navigator)
        }
        registry.viewModel(JarViewModel.self) { (context, id: Int) in
            JarViewModel(id: id, jars: context.repositoryProvider())
        }
        registry.screen(JarsPlace.self) { JarsView(viewModel: try $0.viewModel()) }
        registry.screen(JarPlace.self) { JarView(viewModel: try $0.viewModel($0.destination.id)) }
        registry.contribute(to: .healthChecks, order: 1) { context in
            let counting: Counting = try context.useCase()
            return HealthCheck("jars") { "\(try await counting.count()) on the shelf" }
        }
    }

    func activate(_ context: borrowing ActivationContext) async throws {
        let jars = try context.repository(JarRepository.self)
        jars.greet(context.session.user?.displayName)
    }
}

// MARK: - Model

struct Jar: Codable, Hashable, Sendable {
    enum Kind: String, Codable, CaseIterable, Sendable { case jam, pickles }

    var id: Int
    var name: String
    var kind: Kind
    var filled: Timestamp?
}

extension Jar.Kind: ArgumentValue {}

extension Jar.Kind: Displayable {
    var displayText: String { "\(rawValue) of some kind" }
    var json: JSONValue { .string(rawValue) }
}

struct JarError: ExplainedError {
    let code: ErrorCode
    let message: String
    var hint: String? { "jars" }

    static func unknown(_ id: Int) -> JarError {
        JarError(code: .notFound, message: "There is no jar \(id).")
    }
}

// MARK: - Service and repository

protocol JarService: Sendable {
    func all() async throws -> [Jar]
    func fill(_ name: String, _ kind: Jar.Kind) async throws -> Int
}

struct NoJars: JarService {
    func all() async throws -> [Jar] { [] }
    func fill(_ name: String, _ kind: Jar.Kind) async throws -> Int { 0 }
}

struct StoredJars: JarService {
    let database: any Database
    let clock: any WallClock
    let shelf: String

    func all() async throws -> [Jar] {
        try await database.read { connection in
            try connection.query("SELECT id, name, kind, filled FROM jars ORDER BY id", []) { row in
                Jar(
                    id: try row.value(0), name: try row.value(1),
                    kind: Jar.Kind(rawValue: try row.value(2)) ?? .jam, filled: try row.value(3))
            }
        }
    }

    func fill(_ name: String, _ kind: Jar.Kind) async throws -> Int {
        let now = clock.now()
        return try await database.write { connection in
            let ids: [Int] = try connection.query(
                "INSERT INTO jars (name, kind, filled) VALUES (?, ?, ?) RETURNING id",
                [.text("\(name), \(shelf)"), .text(kind.rawValue), now.databaseValue]
            ) { try $0.value(0) }
            return ids[0]
        }
    }
}

@MainActor
final class JarRepository {
    private let service: any JarService
    private let analytics: any Analytics
    private let logger: Logger

    init(service: any JarService, analytics: any Analytics, logger: Logger) {
        self.service = service
        self.analytics = analytics
        self.logger = logger
    }

    func greet(_ name: String?) { logger.info("Jars for \(name ?? "everybody").") }

    func all() async throws -> [Jar] { try await service.all() }

    func jar(_ id: Int) async throws -> Jar {
        guard let jar = try await all().first(where: { $0.id == id }) else { throw JarError.unknown(id) }
        return jar
    }

    func fill(_ name: String, _ kind: Jar.Kind) async throws -> Int {
        analytics.track(AnalyticsEvent("jarFilled", ["kind": kind.rawValue]))
        return try await service.fill(name, kind)
    }
}

@MainActor
final class Counting {
    private let jars: JarRepository

    init(jars: JarRepository) { self.jars = jars }

    func count() async throws -> Int { try await jars.all().count }
}

// MARK: - Screens

@MainActor @Observable
final class JarsViewModel: ViewModel {
    struct SavedState: Codable, Sendable { var only: Jar.Kind? }

    private(set) var only: Jar.Kind?
    private(set) var jars: [Jar] = []
    private let repository: JarRepository
    private let navigator: any Navigator

    init(jars: JarRepository, navigator: any Navigator) {
        self.repository = jars
        self.navigator = navigator
    }

    var savedState: SavedState { SavedState(only: only) }
    func restore(_ state: SavedState) { only = state.only }

    func load() async throws {
        jars = try await repository.all().filter { only == nil || $0.kind == only }
    }

    func show(only kind: Jar.Kind?) async throws -> ActionResult {
        only = kind
        try await load()
        return .updated
    }

    func fill(_ name: String, _ kind: Jar.Kind, _ count: Int) async throws -> ActionResult {
        try TextRuleError.check(TextRule(subject: "The name", maximum: 20).problems(of: name))
        var id = 0
        for _ in 0..<count { id = try await repository.fill(name, kind) }
        return .show(JarPlace(id: id), "Filled \(count) with \(kind.rawValue).")
    }

    func enter(_ id: Int) async throws -> ActionResult {
        try await navigator.push(JarPlace(id: id))
        return .updated
    }
}

struct TextRuleError: ExplainedError {
    let code: ErrorCode = .validation
    let message: String

    static func check(_ problems: [String]) throws {
        if !problems.isEmpty { throw TextRuleError(message: problems.joined(separator: " ")) }
    }
}

@MainActor @Observable
final class JarViewModel: ViewModel {
    private(set) var jar: Jar?
    private let id: Int
    private let jars: Provider<JarRepository>

    init(id: Int, jars: Provider<JarRepository>) {
        self.id = id
        self.jars = jars
    }

    func load() async throws { jar = try await jars().jar(id) }
}

struct JarsPlace: Destination {
    static let pattern: LinkPattern = "jars"
}

struct JarPlace: Destination {
    static let pattern: LinkPattern = "jars/:id"
    let id: Int
}

struct JarsView: View {
    let viewModel: JarsViewModel

    var body: Content {
        Title("Jars")
        Table(viewModel.jars) {
            Column("id") { $0.id }
            Column("name") { $0.name }
            Column("kind") { $0.kind }
        }
        Field("only", viewModel.only)
        if viewModel.jars.isEmpty { Notice(.information, "The shelf is empty.", hint: "fill NAME") }
    }

    var actions: [Action] {
        Action(
            "fill", "Fills jars", Argument<String>("name"),
            Argument<Jar.Kind>("kind", "What is in it", default: .jam),
            Argument<Int>("count", default: 1)
        ) { name, kind, count in
            try await viewModel.fill(name, kind, count)
        }
        Action("only", "Shows one kind", effect: .reads, Argument<Jar.Kind?>("kind")) { kind in
            try await viewModel.show(only: kind)
        }
        Action("again", "Shows the same", effect: .reads) { .updated }
        Action("enter", "Shows one jar", effect: .navigates, Argument<Int>("id")) { id in
            try await viewModel.enter(id)
        }
    }

    func load() async throws { try await viewModel.load() }
}

struct JarView: View {
    let viewModel: JarViewModel

    var body: Content {
        if let jar = viewModel.jar {
            Title(jar.name)
            Field("kind", jar.kind)
        }
    }

    func load() async throws { try await viewModel.load() }
}
