import AtriumTesting
import Testing

@_spi(Host) @testable import AtriumKit

private struct SawView: View {
    var body: Content { Title("Saw") }
}

private final class SawModel: ViewModel {}

private final class PaintModel: ViewModel {}

private struct SawPlace: Destination {
    static let pattern: LinkPattern = "saw"
}

private struct PaintPlace: Destination {
    static let pattern: LinkPattern = "paint"
}

@Suite("Verification of the whole graph")
@MainActor
struct VerifierTests {
    private let container = Container(environment: .local)

    private func verify(_ registries: ModuleRegistry...) throws -> VerificationReport {
        for registry in registries { try container.add(registry) }
        return try container.verify(screens: registries.flatMap(\.screens)) { scope in
            ModuleScope.Infrastructure(
                database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
                analytics: RecordingAnalytics(), configuration: Configuration([:]))
        }
    }

    /// Registers two screens that depend on one bench; the test registers the saw.
    private func screens() -> ModuleRegistry {
        .of("Screens", requires: ["Tools"]) { registry in
            Workshop.bench(in: registry)
            registry.viewModel(SawModel.self) { context in
                _ = try context.repository(Bench.self)
                return SawModel()
            }
            registry.viewModel(PaintModel.self) { context in
                _ = try context.repository(Bench.self)
                return PaintModel()
            }
            registry.screen(SawPlace.self) { context in
                let _: SawModel = try context.viewModel()
                return SawView()
            }
            registry.screen(PaintPlace.self) { context in
                let _: PaintModel = try context.viewModel()
                return SawView()
            }
        }
    }

    @Test("A valid graph has no findings, and every registration is checked")
    func sound() async throws {
        let report = try verify(.of("Tools", Workshop.tools(1)), screens(), .of("Shop", Shop.register))

        #expect(report.findings.isEmpty)
        #expect(report.notes.isEmpty)
        #expect(report.checked == 12)
        #expect(report.graph.edges.count == 10)
    }

    @Test("A missing type is one finding, with the path from one screen and all screens that depend on it")
    func missing() async throws {
        let report = try verify(screens())

        #expect(report.findings.map(\.error.code) == [.notRegistered])
        #expect(
            report.findings.map(\.error.message) == [
                "No active module registers Saw as a service: saw → SawModel → Bench → Saw."
            ])
        #expect(report.findings.map(\.path) == [["saw", "SawModel", "Bench", "Saw"]])
        #expect(report.findings.map(\.screens) == [["saw", "paint"]])
    }

    @Test("One verification finds all errors: missing, not allowed, cycle, lifetime and failed factories")
    func everything() async throws {
        let ring = ContributionPoint<Paint>("paints")
        let report = try verify(
            screens(),
            .of("Circle") { registry in
                registry.useCase([Paint].self) { try $0.contributions(to: ring).map(\.value) }
                registry.contribute(to: ring) { try $0.useCase([Paint].self)[0] }
            },
            .of("Lifetimes") { registry in
                registry.repository(Paint.self, lifetime: .entry) { _ in Paint() }
                registry.useCase(PaintShelf.self, lifetime: .shared) {
                    PaintShelf(paint: try $0.repository())
                }
            },
            .of("Failures") { registry in
                registry.repository(PriceRepository.self) { _ in throw ExplainedFailure() }
                registry.repository(Warehouse.Ledger.self) { _ in throw PlainFailure() }
            },
            .of("Strangers") { registry in
                registry.useCase(Bank.Ledger.self) { context in
                    _ = try context.repository(Paint.self)
                    return Bank.Ledger()
                }
            })

        #expect(
            report.findings.map(\.error.message) == [
                "No active module registers Saw as a service: saw → SawModel → Bench → Saw.",
                "Dependency cycle: Array<Paint> → Paint 'paints, Circle 1' → Array<Paint>.",
                "PaintShelf is shared and can't hold Paint, which leaves with its stack entry: "
                    + "PaintShelf → Paint.",
                "PriceRepository could not be built (PriceRepository): The printer is out of paper.",
                "Ledger could not be built (Ledger): it threw an error of type PlainFailure.",
                "Module 'Strangers' can't reach Paint of module 'Lifetimes', which it does not require: "
                    + "Ledger → Paint.",
            ])
        #expect(
            report.findings.map(\.error.code) == [
                .notRegistered, .cycle, .wrongLifetime, .factoryFailed, .factoryFailed, .notAllowed,
            ])
        #expect(report.findings.map(\.screens) == [["saw", "paint"], [], [], [], [], []])
        #expect(report.findings[3].error.cause is ExplainedFailure)
        #expect(report.findings[4].error.cause is PlainFailure)
    }

    @Test("The host's explanation of a missing provider appears in the finding")
    func absence() async throws {
        container.explainMissing = { name in
            Container.MissingProvider(
                message: "module 'Tools' would register \(name), but it failed", hint: "load Tools")
        }

        let report = try verify(screens())

        #expect(
            report.findings.map(\.error.message) == [
                "No active module registers Saw as a service; module 'Tools' would register Saw, "
                    + "but it failed: saw → SawModel → Bench → Saw."
            ])
        #expect(report.findings.map(\.error.hint) == ["load Tools"])
    }
}
