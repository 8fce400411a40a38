import Observation
import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit
@testable import AtriumShell

@Observable
private final class TotalsModel: ViewModel {
    var total = 0
    var label = "none"
    var unread = 0
}

private struct TotalsView: View {
    let model: TotalsModel

    var body: Content {
        Field("total", model.total)
        Field("label", model.label)
    }
}

@Suite("When a screen that is being shown is drawn again")
@MainActor
struct ScreenObservationTests {
    private let model = TotalsModel()
    private let received = Received()

    /// What was drawn again.
    @MainActor
    private final class Received {
        var drawings: [JSONObject] = []
    }

    private func observation() -> ScreenObservation {
        ScreenObservation(settle: Settling(interval: .zero).settle)
    }

    private func start(_ observation: ScreenObservation) -> JSONObject {
        start(observation, model)
    }

    private func start(_ observation: ScreenObservation, _ model: TotalsModel) -> JSONObject {
        observation.start(drawing: { TotalsView(model: model).body }) { [received] content, _ in
            received.drawings.append(content.json)
        }.json
    }

    /// Lets everything happen that is due on the main actor.
    private func turns(_ count: Int = 30) async {
        for _ in 0..<count { await Task.yield() }
    }

    @Test("A property that the body read draws once; another draws nothing")
    func tracked() async {
        let observation = observation()
        #expect(start(observation) == ["total": 0, "label": "none"])

        model.unread += 1
        await turns()
        #expect(observation.drawings == 1)

        model.total += 1
        await turns()

        #expect(observation.drawings == 2)
        #expect(received.drawings == [["total": 1, "label": "none"]])
    }

    @Test("Several writes in a turn are one drawing, of the last values")
    func oneTurn() async {
        let observation = observation()
        _ = start(observation)

        model.total = 1
        model.label = "one"
        model.total = 2
        await turns()

        #expect(observation.drawings == 2)
        #expect(received.drawings == [["total": 2, "label": "one"]])
    }

    @Test("Writes in turns that follow each other are one drawing")
    func consecutiveTurns() async {
        let observation = observation()
        _ = start(observation)

        model.total = 1
        Task {
            model.total = 2
            Task { model.total = 3 }
        }
        await turns()

        #expect(observation.drawings == 2)
        #expect(received.drawings == [["total": 3, "label": "none"]])
    }

    @Test("A burst of a thousand writes with waits between them is drawn when it settles, and not each time")
    func burst() async {
        let gate = Gate()
        let observation = ScreenObservation(settle: gate.wait)
        _ = start(observation)

        for total in 1...1_000 {
            model.total = total
            await Task.yield()
        }
        #expect(observation.drawings == 1)
        gate.open()
        await turns()

        #expect(observation.drawings == 2)
        #expect(received.drawings == [["total": 1_000, "label": "none"]])
    }

    @Test("It goes on after each drawing")
    func again() async {
        let observation = observation()
        _ = start(observation)

        for total in 1...3 {
            model.total = total
            await turns()
        }

        #expect(observation.drawings == 4)
        #expect(received.drawings.map { $0["total"] } == [1, 2, 3])
    }

    @Test("Once it is stopped nothing is drawn, also not what was scheduled")
    func stopped() async {
        let observation = observation()
        _ = start(observation)
        model.total = 1

        observation.stop()
        await turns()
        model.total = 2
        await turns()

        #expect(observation.drawings == 1)
        #expect(received.drawings.isEmpty)
    }

    @Test("What was shown is released when it is left, whatever is scheduled")
    func released() async {
        var model: TotalsModel? = TotalsModel()
        weak let watched = model
        var observation: ScreenObservation? = observation()
        weak let watchedObservation = observation
        if let observation, let model { _ = start(observation, model) }
        model?.total = 1

        observation?.stop()
        observation = nil
        model = nil
        await turns()

        #expect(watched == nil)
        #expect(watchedObservation == nil)
    }

    /// Settles when the test says so.
    @MainActor
    private final class Gate {
        private var isOpen = false

        func open() { isOpen = true }

        func wait() async {
            await eventually("the gate opens") { isOpen }
        }
    }
}
