@_spi(Host) import AtriumKit
import AtriumLibraries
import AtriumNavigation
import Observation
import Testing

@testable import AtriumCommands
@testable import AtriumModules

@Observable
private final class TideModel: ViewModel {
    var height = 0
    var unread = 0
}

private struct TideView: View {
    let model: TideModel
    var body: Content { Field("height", model.height) }
}

private struct TidePlace: Destination {
    static let pattern: LinkPattern = "tide"
}

@Suite("Command 'watch'")
@MainActor
struct WatchCommandTests {
    private let shop: TestHost
    private let tide = Tide()
    private let notices = Notices()

    @MainActor private final class Tide {
        weak var model: TideModel?
        var isMissing = false
    }

    @MainActor private final class Notices {
        var lines: [String] = []
    }

    init() throws {
        shop = try TestHost()
        shop.scene.announce = { [notices] in notices.lines.append($0) }
        try shop.add("Tides") { [tide] registry in
            registry.viewModel(TideModel.self) { _ in
                let model = TideModel()
                tide.model = model
                return model
            }
            registry.screen(TidePlace.self) { TideView(model: try $0.viewModel()) }
        }
    }

    private func settle() async {
        await shop.scene.watches.settle(version: shop.host.runtime.container.version)
    }

    @Test("Several changes by one command are reported once, after it; hidden changes are not reported")
    func onceSettled() async throws {
        _ = try await shop.output("watch tide")

        tide.model?.height = 1
        tide.model?.height = 2
        tide.model?.unread = 7
        await settle()
        await settle()
        tide.model?.height = 3
        await settle()

        #expect(notices.lines == ["tide: height: 0 -> 2", "tide: height: 2 -> 3"])
        #expect(try await shop.json("watch") == #"{"rows":[{"link":"tide","changes":2}]}"#)
        #expect(shop.stack.isEmpty)
    }

    @Test("'watch --end' releases the screen, which is then no longer watched")
    func ended() async throws {
        _ = try await shop.output("watch tide")

        _ = try await shop.output("watch tide --end")

        #expect(tide.model == nil)
        #expect(try await shop.failure("watch tide --end")?.message == "'tide' is not watched.")
    }

    @Test("When modules change, a watched screen is rebuilt, and the differences are reported")
    func exchanged() async throws {
        _ = try await shop.output("watch tide")
        tide.model?.height = 1
        await settle()
        let former = tide.model

        try shop.add("Moons") { _ in }
        try shop.add("Stars") { registry in
            registry.service(
                (any Sendable).self, live: .unavailable, local: { _ in 1 }, mock: { _ in 1 })
        }
        await settle()

        #expect(tide.model !== former)
        #expect(notices.lines == ["tide: height: 0 -> 1", "tide: height: 1 -> 0"])
    }

    @Test("A subscribed screen that can't be opened is retried at each change of the modules")
    func subscribed() async throws {
        let watches = shop.scene.watches
        let model = TideModel()
        watches.didChange = { [notices] in notices.lines.append($0) }
        try await watches.watch("tide", version: 1) { [shop, tide] in
            guard !tide.isMissing else { throw CancellationError() }
            return (shop.coordinator.detached(), TideView(model: model))
        }

        tide.isMissing = true
        await watches.settle(version: 2)
        await watches.settle(version: 3)
        #expect(notices.lines == ["tide"])
        tide.isMissing = false
        await watches.settle(version: 4)
        #expect(notices.lines == ["tide", "tide"])
        model.height = 1
        await watches.settle(version: 4)

        #expect(notices.lines == ["tide", "tide", "tide"])
    }

    @Test("An unknown screen is an error that suggests the nearest")
    func unknown() async throws {
        #expect(try await shop.failure("watch tid")?.hint == "Did you mean 'tide'? 'links' lists all.")
        #expect(shop.scene.watches.all.isEmpty)
    }
}
