import Observation
import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit
@testable import AtriumText

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

@Suite("Redrawing a shown screen")
@MainActor
struct ScreenObservationTests {
    private let model = TotalsModel()
    private let received = Received()

    /// The redrawn content.
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

    /// Lets the pending tasks of the main actor run.
    private func turns(_ count: Int = 30) async {
        for _ in 0..<count { await Task.yield() }
    }

    @Test("Changing a property that the body read redraws once; changing another does not redraw")
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

    @Test("Several writes in one turn cause one redraw, with the last values")
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

    @Test("Writes in consecutive turns cause one redraw")
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

    @Test("A burst of a thousand writes with suspensions in between is redrawn once, when it settles")
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

    @Test("Observation continues after each redraw")
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

    @Test("After a stop nothing is redrawn, not even a scheduled change")
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

    @Test("After a stop the view model is released, even if a redraw is scheduled")
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
