import AtriumKit
import AtriumTesting
import Testing

@testable import Catalog

/// How the list is shown belongs to a stack entry; `text` has the column 'Availability' unless it is compact.
@Suite("How the catalog is shown") @MainActor
struct CatalogPresentationTests {
    private let host: TestHost

    init() async throws {
        host = try await TestHost(CatalogModule.self)
    }

    private func isCompact(_ line: String) async throws -> Bool {
        !(try await host.run(line).text().contains("Availability"))
    }

    @Test("It survives redraws, and another screen above")
    func survives() async throws {
        #expect(try await !isCompact("open catalog"))
        #expect(try await isCompact("compact"))

        #expect(try await isCompact("add Shelf 7.50"))
        #expect(try await isCompact("list --search lamp"))
        try await host.run("open 'catalog?search=desk'")
        #expect(try await isCompact("back"))

        #expect(try await !isCompact("compact"))
    }

    @Test("Two stack entries have their own")
    func entries() async throws {
        try await host.run("open catalog; compact")

        #expect(try await !isCompact("open catalog"))
        #expect(host.stack == ["catalog", "catalog"])
        #expect(try await isCompact("back"))
    }

    @Test("It is gone when the screen is left")
    func left() async throws {
        try await host.run("open catalog; compact; back")

        #expect(try await !isCompact("open catalog"))
        #expect(host.notes.isEmpty)
    }

    @Test("It holds no values of the model and no repository, and nothing of it is stored")
    func presentation() {
        let properties = Mirror(reflecting: CatalogPresentation()).children.map { "\(type(of: $0.value))" }

        #expect(properties == ["Bool", "ObservationRegistrar"])
        #expect(CatalogPresentation.SavedState.self == NoSavedState.self)
    }
}
