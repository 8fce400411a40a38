import Testing

@testable import AtriumText

@Suite("Running jobs")
@MainActor
struct RunningJobsTests {
    @MainActor
    private final class Clock {
        var now = ContinuousClock.now
    }

    private let clock = Clock()
    private let jobs: RunningJobs

    init() {
        jobs = RunningJobs { [clock] in clock.now }
    }

    @Test("A job has the smallest free number, and jobs are listed by number")
    func numbers() {
        let first = jobs.begin(text: "one", link: "home")
        let second = jobs.begin(text: "two", link: "home")
        jobs.end(first)
        jobs.end(first)
        let third = jobs.begin(text: "three", link: "items")

        #expect((second.number, third.number) == (2, 1))
        #expect(jobs.all.map(\.text) == ["three", "two"])
    }

    @Test("A job can wait for a link and resume; the latest running job is in the foreground")
    func states() {
        let first = jobs.begin(text: "one", link: "home")
        clock.now += .seconds(1)
        let second = jobs.begin(text: "two", link: "home")
        #expect(jobs.foreground === second)

        second.awaited = "session/sign-in"
        #expect(second.state == "waiting for session/sign-in")
        #expect(jobs.foreground === first)
        second.awaited = nil

        #expect(jobs.foreground === second)
        #expect(jobs.elapsed(first) == .seconds(1))
        #expect(jobs.elapsed(second) == .zero)
    }
}
