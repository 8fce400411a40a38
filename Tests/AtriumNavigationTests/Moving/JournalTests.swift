@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("Recording and replaying navigations")
@MainActor
struct JournalTests {
    private let stage: Stage
    private let coordinator: Coordinator

    init() throws {
        stage = try Stage()
        coordinator = stage.coordinator
    }

    /// The journal's records after encoding and decoding.
    private func records(of coordinator: Coordinator) throws -> [NavigationJournal.Record] {
        try StateCoding.decode(
            [NavigationJournal.Record].self, from: StateCoding.encode(coordinator.journal.records))
    }

    @Test("Each request is recorded with its outcome, link and error")
    func outcomes() async throws {
        stage.director.redirect(.curator, to: "desks/in")
        stage.director.verdicts[.member] = { _ in .deny("Members only.") }
        try await coordinator.open("spots/a")
        try await coordinator.open("office")
        await #expect(throws: NavigationError.self) { try await coordinator.open("vaults/a") }
        await #expect(throws: NavigationError.self) { try await coordinator.open("nowhere") }
        try await coordinator.root()

        let records = try records(of: coordinator)
        #expect(records.map(\.number) == Array(1...5))
        #expect(records.map(\.outcome) == [.done, .redirected, .refused, .failed, .done])
        #expect(records.map(\.link) == ["spots/a", "desks/in", "desks/in", "desks/in", nil])
        #expect(records.map(\.error) == [nil, nil, "refused", "unknownLink", nil])
    }

    @Test("Replaying gives the same stack, in this process and in another")
    func replay() async throws {
        for name in ["a", "b", "c", "d"] { try await coordinator.open("spots/\(name)") }
        try await coordinator.back()
        try await coordinator.back()
        try await coordinator.forward()
        try await coordinator.bringToFront(Spot(name: "a"))
        try await coordinator.navigate(NavigationRequest(.present, link: "pickers/word"))
        try await coordinator.open("spots/e")
        try await coordinator.dismiss()
        try await coordinator.replace(with: Spot(name: "f"))
        try await coordinator.pop(to: "spots/b")
        try await coordinator.open("spots/g")
        let links = stage.links
        let records = try records(of: coordinator)
        let next = try Stage()

        for coordinator in [coordinator, next.coordinator] {
            let report = try await coordinator.replay(records, isForced: false)

            #expect(report.count == records.count)
            #expect(report.differences == [])
            #expect(coordinator.links == links)
        }
    }

    @Test("A navigation that a screen requested while it loaded is replayed once")
    func nested() async throws {
        stage.director.loads["spots/a"] = { try await $0.navigator.open("spots/b") }
        try await coordinator.open("spots/a")
        let records = try records(of: coordinator)
        let next = try Stage(director: stage.director)

        let report = try await next.coordinator.replay(records, isForced: false)

        #expect(next.links == ["spots/a", "spots/b"])
        #expect(report.differences == [])
    }

    @Test("A redirect and its resumed intent are replayed to the same entries")
    func redirect() async throws {
        stage.director.redirect(.member, to: "desks/in")
        try await coordinator.open("spots/a")
        try await coordinator.open("vaults/a")
        stage.director.allow(.member)
        _ = try await coordinator.resumeIntent()
        let records = try records(of: coordinator)
        let next = try Stage(director: stage.director)

        // The guard now allows the screen at once, so the first outcome differs.
        let report = try await next.coordinator.replay(records, isForced: false)

        #expect(next.links == stage.links)
        #expect(report.differences.map(\.expected) == ["redirected, at desks/in"])
        #expect(report.differences.map(\.found) == ["done, at vaults/a"])
    }

    @Test("A revealed entry that was redirected and resumed is replayed by its link")
    func reveal() async throws {
        try await coordinator.open("spots/a")
        try await coordinator.open("vaults/a")
        try await coordinator.open("spots/b")
        stage.director.redirect(.member, to: "desks/in")
        try await coordinator.back()
        _ = try await coordinator.evaluateCurrentGuards()
        #expect(stage.links == ["spots/a", "vaults/a", "desks/in"])
        stage.director.allow(.member)
        _ = try await coordinator.resumeIntent()
        try await coordinator.back()
        let records = try records(of: coordinator)
        #expect(
            records.map(\.request.description) == [
                "push spots/a", "push vaults/a", "push spots/b", "back", "reveal vaults/a entry 2",
                "reveal vaults/a entry 2", "back",
            ])
        #expect(records.map(\.outcome) == [.done, .done, .done, .done, .redirected, .done, .done])

        // The ids differ, and the guard's answers are the recorded ones: it redirects once, then allows.
        let next = try Stage(director: stage.director)
        try await next.coordinator.open("spots/z")
        var questions = 0
        stage.director.verdicts[.member] = { _ in
            questions += 1
            return questions == 2 ? .redirect(to: "desks/in", because: "First things first.") : .allow
        }
        let report = try await next.coordinator.replay(records, isForced: false)

        #expect(report.differences == [])
        #expect(next.links == ["spots/a"])
        #expect(questions == 3)
    }

    @Test("An entry that is missing during a replay is reported")
    func revealElsewhere() async throws {
        try await coordinator.open("vaults/a")
        stage.director.redirect(.member, to: "desks/in")
        coordinator.invalidateGuardResults()
        _ = try await coordinator.evaluateCurrentGuards()
        let records = Array(try records(of: coordinator).dropFirst())

        let report = try await coordinator.replay(records, isForced: false)

        #expect(report.differences.map(\.expected) == ["redirected, at desks/in"])
        #expect(report.differences.map(\.found) == ["failed, at home"])
    }

    @Test("A request with another outcome is reported with the expected and the actual one")
    func differences() async throws {
        try await coordinator.open("vaults/a")
        let records = try records(of: coordinator)
        stage.director.verdicts[.member] = { _ in .deny("Members only.") }

        let report = try await coordinator.replay(records, isForced: false)

        #expect(report.differences.map(\.request) == ["push vaults/a"])
        #expect(report.differences.map(\.expected) == ["done, at vaults/a"])
        #expect(report.differences.map(\.found) == ["refused, at home"])
    }

    @Test("Replaying checks leave objections first, unless it is forced")
    func objecting() async throws {
        try await coordinator.open("spots/a")
        try stage.current().objections = ["Not stored."]
        let records = try records(of: coordinator)

        await #expect(throws: NavigationError.self) {
            try await coordinator.replay(records, isForced: false)
        }
        #expect(coordinator.state.entries.map(\.id) == [1])

        let report = try await coordinator.replay(records, isForced: true)
        #expect(report.differences == [])
    }

    @Test("A long journal keeps its newest records")
    func bound() async throws {
        for _ in 0..<NavigationJournal.limit + 50 {
            try await coordinator.open("spots/a")
            try await coordinator.back()
        }

        let records = coordinator.journal.records
        #expect(records.count <= 2 * NavigationJournal.limit)
        #expect(records.last?.number == 2 * (NavigationJournal.limit + 50))
        coordinator.journal.clear()
        #expect(coordinator.journal.records.isEmpty)
    }
}
