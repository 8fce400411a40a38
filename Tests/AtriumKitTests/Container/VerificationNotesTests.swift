import AtriumTesting
import Testing

@_spi(Host) @testable import AtriumKit

/// A destination for which no sample value can be created.
private struct UnknownPlace: Destination {
    static let pattern: LinkPattern = "unknown/:when"
    let when: Moment

    struct Moment: Codable, Hashable, Sendable, LosslessStringConvertible {
        let description: String

        init?(_ description: String) {
            self.description = description
        }

        init(from decoder: any Decoder) throws {
            throw DecodingError.valueNotFound(
                Self.self, DecodingError.Context(codingPath: [], debugDescription: "none"))
        }
    }
}

private struct EmptyView: View {
    var body: Content { Title("Empty") }
}

@Suite("Notes and isolation of verification")
@MainActor
struct VerificationNotesTests {
    private let session = SessionManager.isolated()
    private let container: Container

    init() {
        container = Container(environment: .local, session: session)
    }

    private func verify(_ screens: [ScreenRegistration] = []) throws -> VerificationReport {
        try container.verify(screens: screens) { scope in
            ModuleScope.Infrastructure(
                database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
                analytics: RecordingAnalytics(),
                configuration: Configuration(["name": .string("aside of \(scope.name)")]))
        }
    }

    @Test("Factories whose arguments no screen passes are noted, not built")
    func arguments() async throws {
        try container.add { registry in
            registry.useCase(Saw.self) { (_: borrowing UseCaseContext, edition: Int) in Saw(edition) }
        }

        let report = try verify()

        #expect(
            report.notes == [
                "Saw was not built: it takes arguments, and no screen that was built resolves it."
            ])
        #expect(report.findings.isEmpty)
        #expect(report.checked == 0)
    }

    @Test("A provider of a type that is not registered is a note, not a finding")
    func absentProvider() async throws {
        try container.add { registry in
            registry.repository(Paint.self) { context in
                let _: Provider<Saw> = context.serviceProvider()
                return Paint()
            }
        }

        let report = try verify()

        #expect(
            report.notes == [
                "Paint takes a provider of Saw, which no active module registers as a service."
            ])
        #expect(report.findings.isEmpty)
        #expect(report.checked == 1)
    }

    @Test("A screen without a sample destination is noted, and other registrations are still checked")
    func noSample() async throws {
        let registry = try container.add { registry in
            Workshop.tools(1)(registry)
            registry.screen(UnknownPlace.self) { _ in EmptyView() }
        }.registry

        let report = try verify(registry.screens)

        #expect(
            report.notes == [
                "The screen 'unknown/:when' was not built: no sample destination could be created for it. "
                    + "Give its destination a 'sample'."
            ])
        #expect(report.checked == 1)
    }

    @Test("Verification builds, changes and traces nothing in the verified container")
    func untouched() async throws {
        let shop = try container.add(module: "Shop", Shop.register).registry
        try container.add(module: "Tools", Workshop.tools(1))
        let saw = try container.resolve(Saw.self, .service)
        let counts = container.graph.nodes.map(\.builds)
        var events = 0
        container.trace { events += $0.count }

        let report = try verify(shop.screens)

        #expect(report.checked == 7)
        #expect(report.graph.edges.count == 5)
        #expect(events == 0)
        #expect(container.graph.nodes.filter(\.isBuilt).map(\.name) == ["Saw"])
        #expect(container.graph.nodes.map(\.builds) == counts)
        #expect(container.graph.edges.isEmpty)
        #expect(container.environment == .local)
        #expect(try container.resolve(Saw.self, .service) === saw)
    }

    @Test("Verification builds services for environment 'mock', with separate infrastructure")
    func environment() async throws {
        let names = Names()
        try container.add(module: "Shop", configuration: ["name": .string("its own")]) { registry in
            registry.service(
                (any PriceService).self, live: .unavailable,
                local: { _ in NamedPriceService(name: names.note("local")) },
                mock: {
                    NamedPriceService(name: names.note("mock, \($0.configuration.string("name") ?? "")"))
                })
        }

        _ = try verify()
        let verified = names.all
        _ = try container.resolve((any PriceService).self, .service)

        #expect(verified == ["mock, aside of Shop"])
        #expect(names.all == ["mock, aside of Shop", "local"])
    }

    @Test("A factory that signs in during verification uses a separate session")
    func session() async throws {
        try container.add { registry in
            registry.repository(Paint.self) { context in
                context.session.signIn(
                    SessionUser(id: "1", email: "a@b.c"),
                    credential: SessionCredential(
                        token: "t", expiresAt: FixedClock().now().adding(seconds: 60)))
                return Paint()
            }
        }

        let report = try verify()
        let verified = session.user
        _ = try container.resolve(Paint.self, .repository)

        #expect(report.findings.isEmpty && report.checked == 1)
        #expect(verified == nil)
        #expect(session.user?.id == "1")
    }

    /// The names that factories recorded, in order.
    private final class Names {
        private(set) var all: [String] = []

        func note(_ name: String) -> String {
            all.append(name)
            return name
        }
    }
}
