@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

/// Each test runs in a process of its own, so that the heap in use is that of the test alone.
@Suite("Navigating thousands of times leaks nothing", .serialized)
@MainActor
struct EnduranceTests {
    @Test("Screens pushed and popped, each with a view model and a running task")
    func pushAndPop() async throws {
        await #expect(processExitsWith: .success) { @MainActor in
            let endurance = try Endurance()
            endurance.occupy("spots/a")
            try await endurance.run { _ in
                try await endurance.coordinator.open("spots/a")
                try await endurance.coordinator.back()
            }
        }
    }

    @Test("Screens presented and dismissed, with a result or without")
    func presented() async throws {
        await #expect(processExitsWith: .success) { @MainActor in
            let endurance = try Endurance()
            let coordinator = endurance.coordinator
            endurance.occupy("pickers/word")
            try await endurance.run { number in
                let answer = Task {
                    try await coordinator.present(PresentedItem(Picker(kind: "word"), slot: "choice"))
                }
                try await until("it waits") { !coordinator.waiting.isEmpty }
                try await coordinator.dismiss(number % 2 == 0 ? PresentedResult("word") : .cancelled)
                _ = try await answer.value
            }
        }
    }

    @Test("Guarded screens that are refused, allowed, and resumed after a redirect")
    func guarded() async throws {
        await #expect(processExitsWith: .success) { @MainActor in
            let endurance = try Endurance()
            let (coordinator, director) = (endurance.coordinator, endurance.stage.director)
            endurance.occupy("vaults/a")
            try await endurance.run { number in
                switch number % 3 {
                case 0: director.verdicts[.member] = { _ in .deny("Members only.") }
                case 1: director.redirect(.member, to: "desks/in")
                default: director.allow(.member)
                }
                _ = try? await coordinator.open("vaults/a")
                director.allow(.member)
                if number % 3 == 0 { try await coordinator.open("vaults/a") }
                _ = try await coordinator.resumeIntent()
                try await coordinator.back()
            }
        }
    }
}
