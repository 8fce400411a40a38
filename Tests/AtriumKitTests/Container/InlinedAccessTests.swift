import Testing

@_spi(Host) @testable import AtriumKit

private final class Stamp {
    let issuer: String

    init(_ issuer: String) {
        self.issuer = issuer
    }
}

/// Resolves a stamp only if it is enabled.
private final class ParcelModel: ViewModel {
    let stamp: Stamp?

    init(stamp: Stamp?) {
        self.stamp = stamp
    }
}

private struct ParcelView: View {
    let viewModel: ParcelModel
    var body: Content { Title("Parcel") }
}

private struct ParcelPlace: Destination {
    static let pattern: LinkPattern = "parcel"
}

@Suite("Access between modules in inlined code")
@MainActor
struct InlinedAccessTests {
    private let container = Container(environment: .mock)

    private func addStamps(_ module: String) throws -> ModuleScope {
        try container.add(module: module) { registry in
            registry.repository(Stamp.self) { _ in Stamp(module) }
        }.scope
    }

    @Test("A factory that got a key only in inlined code is refused once the key moves to another module")
    func wanderingKeyInlined() throws {
        let post = try addStamps("Post")
        let stamped = Counter()
        let scope = ModuleScope.named("Parcels", requires: ["Post"])
        let registry = ModuleRegistry(scope: scope)
        registry.viewModel(ParcelModel.self) { context in
            ParcelModel(stamp: stamped.count > 0 ? try context.repository(Stamp.self) : nil)
        }
        registry.screen(ParcelPlace.self) { ParcelView(viewModel: try $0.viewModel()) }
        try container.add(registry)
        // After one request by the module, all of its factories find the stamp without a lookup.
        _ = try container.resolve(Stamp.self, .repository, as: scope)
        for _ in 0..<2 { _ = try registry.screens[0].build(ParcelPlace(), in: container) }

        _ = stamped.next()
        let before = try registry.screens[0].build(ParcelPlace(), in: container)
        container.remove(post)
        _ = try addStamps("Courier")
        _ = try container.resolve(Stamp.self, .repository)
        let error = #expect(throws: ResolutionError.self) {
            try registry.screens[0].build(ParcelPlace(), in: container)
        }

        #expect((before.view as? ParcelView)?.viewModel.stamp?.issuer == "Post")
        #expect(error?.code == .notAllowed)
    }
}
