@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumNavigation

@testable import AtriumCommands
@testable import AtriumModules

// The parts of a host with one module, Shop, which is registered by code instead of loaded.

struct ItemList: Destination {
    static let pattern: LinkPattern = "items"
}

struct ItemDetail: Destination {
    static let pattern: LinkPattern = "items/:id"
    let id: Int
}

struct Fair: Destination {
    static let pattern: LinkPattern = "fair"
}

enum Order: String, CaseIterable, ArgumentValue {
    case name, age
}

/// The actions that were performed in the shop, in order.
@MainActor
final class ShopLog {
    var lines: [String] = []
    /// Why an item can't be loaded; nil if it can.
    var hidesItems: (any Error)?
}

struct OutOfStock: ExplainedError {
    let code: ErrorCode = "outOfStock"
    let message = "There is none left."
}

struct PlainFailure: Error {}

struct ItemListView: View {
    let log: ShopLog

    var body: Content {
        Title("Items")
        Table(log.lines) { Column("line") { $0 } }
    }

    var actions: [Action] {
        Action(
            "list", "Lists them", effect: .reads, Argument<Int>("page", "The page", default: 1),
            Argument<Order>("sort", default: .name)
        ) { page, sort in
            log.lines.append("list \(page) \(sort)")
            return .updated
        }
        Action(
            "create", "Creates one", Argument<String>("name"),
            Argument<String?>("kind", suggestions: ["a b", "c/"])
        ) {
            name, kind in
            log.lines.append("create \(name) \(kind ?? "-")")
            return .show(ItemDetail(id: 7), "Created '\(name)'.")
        }
        Action("sign-in", "Signs in", Argument<String>("email"), Argument<String>("password", isSecret: true))
        {
            email, password in
            log.lines.append("sign-in \(email) \(password)")
            return .updated("Signed in.")
        }
        Action("fail", "Fails") { throw OutOfStock() }
        Action("crash", "Fails without a word") { throw PlainFailure() }
    }

    func load() async throws {
        log.lines.append("load")
    }
}

struct ItemDetailView: View {
    let id: Int
    let log: ShopLog

    var body: Content { Field("id", id) }

    var actions: [Action] {
        Action("delete", "Deletes it", effect: .destroys) { .leave("Deleted.", showing: ItemList()) }
        Action("text", "Shows a text", effect: .reads) { .content(Content { Text("A text.") }, "Here:") }
    }

    func load() async throws {
        if let error = log.hidesItems { throw error }
    }
}

struct FairView: View {
    var body: Content { Title("Fair") }

    var actions: [Action] {
        Action(
            "set-password", "Sets a password", Argument<String>("password", isSecret: true).askedTwice()
        ) { password in .content(Content(), "It is '\(password)'.") }
    }
}

final class TestSite: ModuleSite {
    let container: Container
    let screens = ScreenTable()

    init(environment: Environment = .mock) {
        container = Container(environment: environment)
    }

    func infrastructure(
        for module: String, migrations: [Migration], configuration: Configuration
    ) -> ModuleScope.Infrastructure {
        preconditionFailure("No module is loaded here.")
    }

    func add(_ screens: [ScreenRegistration]) throws {
        try self.screens.add(screens)
    }

    func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws {
        try self.screens.check(screens, replacingThoseOf: modules)
    }

    func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) {
        self.screens.exchange(screens, replacingThoseOf: modules)
    }
}

struct SilentAnalytics: Analytics, LogSink, WallClock {
    let level = LogLevel.error
    func track(_ event: AnalyticsEvent) {}
    func log(_ level: LogLevel, module: String, message: String) {}
    func now() -> Timestamp { Timestamp(microseconds: 0) }
}

struct UnusedDatabase: Database {
    struct Reached: Error {}

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw Reached()
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw Reached()
    }
}
