import Observation
import Testing

@_spi(Host) @testable import AtriumKit
@testable import AtriumNavigation

@Suite("The session mirrors the stack, in both directions")
@MainActor
struct SessionMirrorTests {
    private let stage: Stage
    private let coordinator: Coordinator
    private let session = SessionManager.isolated()

    init() throws {
        stage = try Stage()
        coordinator = stage.coordinator
        coordinator.mirror(in: session)
    }

    /// Counts how often observers of the session's navigation state are notified during the body.
    private func changes(_ body: () async throws -> Void) async throws -> Int {
        let count = Count(session)
        count.observe()
        try await body()
        return count.value
    }

    @MainActor
    private final class Count {
        let session: SessionManager
        var value = 0

        init(_ session: SessionManager) {
            self.session = session
        }

        func observe() {
            withObservationTracking {
                _ = session.navigationState
            } onChange: { [weak self] in
                MainActor.assumeIsolated { self?.count() }
            }
        }

        private func count() {
            value += 1
            observe()
        }
    }

    @Test("Each change of the stack updates the session and notifies observers once")
    func outwards() async throws {
        let count = try await changes {
            try await coordinator.open("spots/a")
            try await coordinator.open("spots/b")
            try await coordinator.back()
        }

        #expect(session.navigationState == NavigationPath(["spots/a"]))
        #expect(count == 3)
    }

    @Test("Setting the session's navigation state changes the stack and notifies observers once")
    func inwards() async throws {
        try await coordinator.open("spots/a")
        let count = try await changes {
            session.navigationState = NavigationPath(["spots/a", "spots/b"])
            await coordinator.settle()
        }

        #expect(stage.links == ["spots/a", "spots/b"])
        #expect(session.navigationState.links == stage.links)
        #expect(count == 1)
    }

    @Test("Setting an equal navigation state does nothing")
    func same() async throws {
        try await coordinator.open("spots/a")
        let count = try await changes {
            session.navigationState = NavigationPath(["spots/a"])
            await coordinator.settle()
        }

        #expect(count == 0)
    }

    @Test("A refused navigation state leaves both unchanged, and the error is reported")
    func refused() async throws {
        try await coordinator.open("spots/a")
        var reported: [any Error] = []
        coordinator.reportError = { reported.append($0) }
        stage.director.verdicts[.member] = { _ in .deny("Members only.") }

        session.navigationState = NavigationPath(["spots/a", "vaults/a"])
        await coordinator.settle()

        #expect(stage.links == ["spots/a"])
        #expect(session.navigationState == NavigationPath(["spots/a"]))
        #expect(reported.map { ($0 as? NavigationError)?.code } == [.refused])
    }

    @Test("If the navigation state is set several times at once, the last one applies")
    func several() async throws {
        for name in ["a", "b", "c"] { session.navigationState = NavigationPath(["spots/\(name)"]) }
        await coordinator.settle()

        #expect(stage.links == ["spots/c"])
    }
}
