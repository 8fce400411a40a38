@_spi(Host) import AtriumKit
import AtriumLibraries
import AtriumNavigation
import Observation
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Observable
private final class PulseModel: ViewModel {
    var total = 0
    var unread = 0
}

private struct PulseView: View {
    let model: PulseModel
    var body: Content {
        Title("Pulse")
        Field("total", model.total)
    }
}

private struct PulsePlace: Destination {
    static let pattern: LinkPattern = "pulse"
}

@Suite("Commands 'live', 'viewport' and 'jobs'")
@MainActor
struct LiveCommandTests {
    private let shop: TestHost
    private let pulse = Pulse()
    private let output = Output()

    /// The view model that was built last.
    @MainActor
    private final class Pulse {
        weak var model: PulseModel?
    }

    @MainActor
    private final class Output {
        var text = ""
        var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    init() throws {
        shop = try TestHost()
        shop.scene.display.write = { [output] text in MainActor.assumeIsolated { output.text += text } }
        try shop.add("Pulses") { [pulse] registry in
            registry.viewModel(PulseModel.self) { _ in
                let model = PulseModel()
                pulse.model = model
                return model
            }
            registry.screen(PulsePlace.self) { PulseView(model: try $0.viewModel()) }
        }
    }

    /// Runs `live`, and makes each change once the previous one has been reported.
    private func live(_ line: String, changes: [@MainActor (PulseModel) -> Void]) async throws -> String? {
        async let message = shop.output(line).message
        for (number, change) in changes.enumerated() {
            while output.lines.filter({ $0.contains(" -> ") || $0.contains("\"change\"") }).count < number
                || output.text.isEmpty
            { await Task.yield() }
            if let model = pulse.model { change(model) }
        }
        return try await message
    }

    @Test("Without a terminal the screen is printed, then a line for each change")
    func lines() async throws {
        _ = try await shop.output("open pulse")

        let message = try await live("live --changes 2", changes: [{ $0.total = 4 }, { $0.total = 5 }])

        #expect(output.lines == ["Pulse", "Total  0", "total: 0 -> 4", "total: 4 -> 5"])
        #expect(message == "live ended after 2 changes.")
    }

    @Test("JSON has an object with the screen, then an object for each change")
    func objects() async throws {
        shop.scene.display.form = .objects

        let message = try await live("live pulse --changes 1", changes: [{ $0.total = 4 }])

        #expect(
            output.lines == [
                #"{"command":"live","ok":true,"result":{"link":"pulse","change":0,"rows":[],"screen":{"title":"Pulse","total":0}}}"#,
                #"{"command":"live","ok":true,"result":{"link":"pulse","change":1,"rows":[{"key":"total","kind":"changed","from":0,"to":4}]}}"#,
            ])
        #expect(message == "live ended after 1 change.")
    }

    @Test("'live LINK' shows a screen without pushing it, and releases it afterwards")
    func link() async throws {
        _ = try await live("live pulse --changes 1", changes: [{ $0.total = 1 }])

        #expect(shop.stack.isEmpty)
        #expect(pulse.model == nil)
        #expect(shop.coordinator.takeNewLeaks().isEmpty)
    }

    @Test("Cancelling 'live' ends it without an error")
    func cancelled() async throws {
        let task = Task { try await shop.run("live pulse") }
        await eventually("the screen is shown") { !output.text.isEmpty }

        task.cancel()
        let reply = try await task.value

        guard case .done(let shown) = reply.outcome else {
            Issue.record("live failed.")
            return
        }
        #expect(shown.message == "live ended after 0 changes.")
    }

    @Test("'live' ends with a message if its screen is left or covered")
    func departed() async throws {
        _ = try await shop.output("open fair")
        _ = try await shop.output("open pulse")
        async let covered = shop.output("live --for 20").message
        await eventually("the screen is shown") { !output.text.isEmpty }
        try await shop.coordinator.open("items")
        #expect(try await covered == "live ended after 0 changes: 'items' covers it.")

        try await shop.coordinator.back()
        output.text = ""
        async let left = shop.output("live --for 20").message
        await eventually("the screen is shown") { !output.text.isEmpty }
        try await shop.coordinator.back()
        #expect(try await left == "live ended after 0 changes: 'pulse' was left for 'fair'.")
    }

    @Test("'live' at home ends if a screen is opened")
    func departedFromHome() async throws {
        async let message = shop.output("live --for 20").message
        await eventually("the screen is shown") { !output.text.isEmpty }

        try await shop.coordinator.open("fair")

        #expect(try await message == "live ended after 0 changes: 'fair' covers it.")
    }

    @Test("'live' ends after its time, or with the error of a failed write")
    func time() async throws {
        #expect(try await shop.output("live pulse --for 0.001").message == "live ended after 0 changes.")

        shop.scene.display.write = { _ in throw OutOfStock() }
        #expect(try await shop.failure("live pulse")?.code == "outOfStock")
    }

    @Test(
        "Invalid limits are refused",
        arguments: ["--for 0", "--for -1", "--for 100000", "--changes 0", "--changes -3"])
    func limits(_ option: String) async throws {
        #expect(try await shop.failure("live pulse \(option)")?.code == .invalidArgument)
        #expect(output.text.isEmpty)
    }

    @Test("A refused number is repeated as it was typed", arguments: ["2147483647", "86400.5", "-1"])
    func refusedSeconds(_ number: String) async throws {
        let error = try await shop.failure("live pulse --for=\(number)")

        #expect(
            error?.message
                == "'for' of 'live' must be a number of seconds up to 86400, not '\(number)'.")
    }

    @Test("An unknown screen is an error that suggests the nearest")
    func unknown() async throws {
        #expect(try await shop.failure("live puls")?.hint == "Did you mean 'pulse'? 'links' lists all.")
    }

    @Test("On a terminal only changed lines are written, and the picture stays")
    func picture() async throws {
        let display = shop.scene.display
        let screen = Output()
        display.form = .picture
        display.size = { TerminalSize(columns: 40, rows: 10) }
        display.drawPictures { text in MainActor.assumeIsolated { screen.text += text } }
        async let message = shop.output("live pulse --changes 1").message
        await eventually("the screen is drawn") { !screen.text.isEmpty }

        pulse.model?.unread += 1
        pulse.model?.total = 7

        #expect(try await message == "live ended after 1 change.")
        let frames = ["\r\u{1B}[KPulse\nTotal  0\r", "\u{1B}[KTotal  7\r"]
        #expect(screen.text == frames.map { "\u{1B}[?2026h\($0)\u{1B}[?2026l" }.joined() + "\n")
        #expect(output.text.isEmpty)
    }

    @Test("'scenes' shows the size and its source")
    func viewport() async throws {
        shop.scene.viewport.update(Viewport(columns: 40, rows: 10, promptRows: 2))

        #expect(
            try await shop.json("scenes").contains(
                #""size":{"columns":40,"rows":10,"promptRows":2,"contentRows":8,"source":"fixed"}"#))
    }

    @Test("Jobs are listed with the link that they wait for")
    func jobs() async throws {
        let job = shop.scene.display.jobs.begin(text: "items list", link: "home")
        job.awaited = "fair"

        let rows = try await shop.output("jobs").content?.json["rows"]

        guard case .array(let jobs)? = rows else { return #expect(Bool(false), "There is no list.") }
        #expect(jobs[0]["command"] == "items list")
        #expect(jobs[0]["state"] == "waiting for fair")
        #expect(jobs[0]["number"] == 1)
    }
}
