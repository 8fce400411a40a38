import Testing

@testable import MainQueue

@Suite("The time of the main actor, by module")
@MainActor
struct MainActorTimeTests {
    private func work(for time: Duration) {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {}
    }

    @Test("The newest work has the time; one piece of it without a pause is a delay, after the start")
    func delays() {
        MainActorTime.beginTurn()
        let start = MainActorTime.begin("Slow")
        work(for: .milliseconds(60))
        start.end()
        MainActorTime.countsDelays = true
        defer { MainActorTime.countsDelays = false }
        let outer = MainActorTime.begin("Caller")
        let inner = MainActorTime.begin("Slow")
        work(for: .milliseconds(70))
        inner.end()
        outer.end()
        MainActorTime.endTurn()

        let (slow, caller) = (MainActorTime.usage(of: "Slow"), MainActorTime.usage(of: "Caller"))
        #expect(slow.delays == 1 && slow.longest >= .milliseconds(70) && slow.total >= .milliseconds(130))
        #expect(caller.total < slow.longest)
        #expect(MainActorTime.usage(of: "Other").total == .zero)
    }

    @Test("Time between turns does not count, and each turn is a pause")
    func turns() {
        MainActorTime.countsDelays = true
        defer { MainActorTime.countsDelays = false }
        let waiting = MainActorTime.begin(nil)
        for _ in 0..<2 {
            MainActorTime.beginTurn()
            work(for: .milliseconds(1))
            MainActorTime.endTurn()
            work(for: .milliseconds(100))
        }
        waiting.module = "Waiting"

        let usage = MainActorTime.usage(of: "Waiting")
        #expect(usage.total >= .milliseconds(2) && usage.total < .milliseconds(100))
        #expect(usage.longest < usage.total)
        waiting.end()
        #expect(MainActorTime.usage(of: "Waiting").total == usage.total)
    }
}
