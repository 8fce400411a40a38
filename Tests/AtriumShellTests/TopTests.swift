@_spi(Host) import AtriumKit
import AtriumNavigation
import AtriumNetworking
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("What a host does")
@MainActor
struct TopTests {
    private let shop: TestHost

    init() throws { shop = try TestHost() }

    private func calls() async throws -> [String] {
        let screens = try await shop.output("top").content?.json["screens"]?.elements ?? []
        return screens.map { screen in
            let (link, calls, errors) = (screen["link"], screen["calls"], screen["errors"])
            return [link, calls, errors].map { $0?.serialized ?? "-" }.joined(separator: " ")
        }
    }

    @Test(
        "Commands are counted on the screen where they are done, or to which they lead; those of the host are not"
    )
    func counts() async throws {
        _ = try await shop.output("fair")
        _ = try await shop.output("open items")
        _ = try await shop.output("list")
        _ = try await shop.failure("list --page x")
        _ = try await shop.output("modules")
        _ = try await shop.failure("open nowhere")

        #expect(try await calls() == [#""items" 3 1"#, #""fair" 1 0"#])
    }

    @Test("A module has the calls of its screens, and its entries on all stacks")
    func modules() async throws {
        let other = shop.host.beginScene("other")
        try await other.coordinator.open(Link("fair"))
        _ = try await shop.output("open items")

        let json = try await shop.output("top").content?.json

        #expect(
            json?["rows"]?.elements?.first == [
                "module": "Shop", "state": "active", "generation": .null, "calls": 1, "entries": 2,
                "tasks": .null, "draining": 0,
            ])
        #expect(json?["scenes"]?.elements?.map { $0["scene"] } == ["test", "other"])
        #expect(json?["endpoints"] == [] && json?["times"] == [])
    }

    @Test("The process has memory, time and age")
    func process() async throws {
        let json = try await shop.output("top").content?.json

        for key in ["memoryBytes", "cpuSeconds", "uptimeSeconds", "process"] {
            guard case .integer(let value)? = json?[key] else {
                guard case .number(let value)? = json?[key] else {
                    Issue.record("\(key) is no number.")
                    continue
                }
                #expect(value > 0)
                continue
            }
            #expect(value > 0)
        }
    }

    @Test("The time of a command in which a person is asked is not kept; median and worst are of the others")
    func latencies() {
        var times = Latencies()
        #expect(times.percentile(0.5) == nil)
        for milliseconds in [3, 1, 2] { times.note(.milliseconds(milliseconds)) }

        #expect(times.percentile(0.5) == .milliseconds(2))
        #expect(times.percentile(1) == .milliseconds(3))
    }

    @Test("Looking several times prints each report, the last as the result")
    func several() async throws {
        var printed: [Reply] = []
        shop.scene.print = { printed.append($0) }

        let output = try await shop.output("top --count 2")

        #expect(printed.map(\.command) == ["top"])
        #expect(output.content != nil)
        #expect(
            try await shop.failure("top --count 0")?.message
                == "'count' of 'top' must be from 1 to 86400, not '0'.")
    }

    @Test("Where results go to a file, or in the background, nothing is drawn")
    func pictures() async {
        let scene = shop.scene
        scene.display.form = .picture
        #expect(scene.drawsPictures)

        scene.isRedirected = { true }
        #expect(!scene.drawsPictures)

        scene.isRedirected = { false }
        RunningJobs.$runsInBackground.withValue(true) { #expect(!scene.drawsPictures) }
    }
}
