import AtriumTesting
import Testing

@_spi(Host) @testable import AtriumKit

private final class ShopModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        Shop.register(in: registry)
    }
}

private final class TwiceModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        Shop.register(in: registry)
        Shop.register(in: registry)
    }
}

private final class DiskModule: FeatureModule {
    final class Disk: Sendable {
        let database: any Database

        init(database: any Database) {
            self.database = database
        }
    }

    final class DiskRepository {
        let disk: Disk

        init(disk: Disk) {
            self.disk = disk
        }
    }

    final class DiskViewModel: ViewModel {
        let disk: Disk

        init(repository: DiskRepository) {
            disk = repository.disk
        }
    }

    func register(in registry: ModuleRegistry) {
        registry.repository(DiskRepository.self) { DiskRepository(disk: try $0.service()) }
        registry.viewModel(DiskViewModel.self) { DiskViewModel(repository: try $0.repository()) }
        registry.service(
            Disk.self, live: .unavailable, local: { Disk(database: $0.database) },
            mock: { Disk(database: $0.database) })
    }
}

private struct PatternView: View {
    let pattern: LinkPattern
    var body: Content { Title(pattern.description) }
}

private struct NewOfKind: Destination {
    static let pattern: LinkPattern = ":kind/new"
    let kind: String
}

private struct Files: Destination {
    static let pattern: LinkPattern = "items/:path*"
    let path: String
}

private struct Item: Destination {
    static let pattern: LinkPattern = "items/:id"
    let id: String
}

private struct NewPart: Destination {
    static let pattern: LinkPattern = "items/:id/new"
    let id: String
}

/// Registers screens with overlapping patterns, those of lower precedence first.
private final class PatternsModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(NewOfKind.self) { _ in PatternView(pattern: NewOfKind.pattern) }
        registry.screen(Files.self) { _ in PatternView(pattern: Files.pattern) }
        registry.screen(Item.self) { _ in PatternView(pattern: Item.pattern) }
        registry.screen(NewPart.self) { _ in PatternView(pattern: NewPart.pattern) }
    }
}

@Suite("TestContainer")
@MainActor
struct TestContainerTests {
    @Test("Without overrides services are mocks and the navigator is the test's own")
    func mock() throws {
        let container = try TestContainer(ShopModule.self)

        let viewModel = try container.viewModel(PriceViewModel.self, "lamps")

        #expect(viewModel.basket.rule.prices.service.name == "mock")
        #expect(viewModel.navigator === container.navigator)
        #expect(viewModel.category == "lamps")
    }

    @Test("An override replaces one service, in this container only")
    func override() throws {
        let container = try TestContainer(ShopModule.self)
        let other = try TestContainer(ShopModule.self)

        try container.override((any PriceService).self) { NamedPriceService(name: "stub") }

        #expect(try container.repository(PriceRepository.self).service.name == "stub")
        #expect(try container.aggregateModel(Basket.self).rule.prices.service.name == "stub")
        #expect(try other.repository(PriceRepository.self).service.name == "mock")
    }

    @Test("An override applies to values that are built after it")
    func lateOverride() throws {
        let container = try TestContainer(ShopModule.self)
        let before = try container.repository(PriceRepository.self)

        try container.override((any PriceService).self) { NamedPriceService(name: "stub") }
        let after = try container.repository(PriceRepository.self)

        #expect(before.service.name == "mock")
        #expect(after.service.name == "stub")
    }

    @Test("A type that is not registered can't be overridden")
    func unknownOverride() throws {
        let container = try TestContainer(ShopModule.self)

        let error = #expect(throws: ResolutionError.self) {
            try container.override(DiskModule.Disk.self) { throw PlainFailure() }
        }

        #expect(error?.code == .notRegistered)
    }

    @Test("Outside 'mock' a service without override fails the test, and the error says how to override it")
    func unmocked() throws {
        let container = try TestContainer(ShopModule.self, environment: .local)

        try withKnownIssue {
            _ = try container.repository(PriceRepository.self)
        } matching: { issue in
            let error = (issue.error as? ResolutionError)?.cause ?? issue.error
            let explained = error as? any ExplainedError
            return explained?.message == "This test would use the local implementation of PriceService."
                && explained?.hint
                    == "Override it: try container.override((any PriceService).self) { StubPriceService() }"
        }
        try container.override((any PriceService).self) { NamedPriceService(name: "stub") }

        #expect(try container.repository(PriceRepository.self).service.name == "stub")
    }

    @Test("Using a database that was not provided fails the test; resolving its service does not")
    func database() async throws {
        let container = try TestContainer(DiskModule.self)
        let disk = try container.service(DiskModule.Disk.self)

        try await withKnownIssue {
            try await disk.database.read { _ in () }
        } matching: { issue in
            (issue.error as? any ExplainedError)?.message == "This test would use a database."
        }
    }

    @Test("A view model without arguments is resolved by its type, named or inferred")
    func plainViewModel() throws {
        let container = try TestContainer(DiskModule.self)

        let named = try container.viewModel(DiskModule.DiskViewModel.self)
        let inferred: DiskModule.DiskViewModel = try container.viewModel()
        let both: DiskModule.DiskViewModel = try container.viewModel(DiskModule.DiskViewModel.self)

        #expect(named.disk === inferred.disk)
        #expect(named !== inferred)
        #expect(both !== named)
    }

    @Test("A view is built from its link; an unknown link is an error")
    func view() throws {
        let container = try TestContainer(ShopModule.self)

        let view = try container.view(at: "prices/lamps")

        #expect((view as? PriceView)?.viewModel.category == "lamps")
        #expect(throws: (any Error).self) { try container.view(at: "nowhere") }
    }

    @Test(
        "Overlapping patterns rank as in the host: per segment, a literal, then an argument, then a tail",
        arguments: [
            ("items/new", "items/:id"), ("boxes/new", ":kind/new"), ("items/1/new", "items/:id/new"),
            ("items/1/2", "items/:path*"), ("items", "items/:path*"),
        ])
    func overlap(_ link: String, _ pattern: String) throws {
        let view = try TestContainer(PatternsModule.self).view(at: link)

        #expect((view as? PatternView)?.pattern.description == pattern)
    }

    @Test("Invalid registrations are thrown as an error")
    func findings() {
        let error = #expect(throws: RegistrationError.self) { try TestContainer(TwiceModule.self) }

        #expect(error?.code == .duplicate)
    }
}
