import AtriumKit
import AtriumTesting
import Testing

@testable import __NAME__

@Suite("The form of __NAME__") @MainActor
struct __NAME__Tests {
    private let container: TestContainer
    private let screen: __NAME__ViewModel

    init() throws {
        container = try TestContainer(__NAME__Module.self)
        screen = try container.viewModel(__NAME__ViewModel.self, __NAME__Destination())
    }

    private var draft: RecordDraft<Booking> { screen.form.draft }

    private func fillIn() async throws {
        _ = try await screen.form.set("name", to: " Ada ")
        _ = try await screen.form.set("email", to: "ada@example.com")
        _ = try await screen.form.set("seats", to: "2")
        _ = try await screen.form.set("seating", to: "window")
    }

    @Test("Keeps what every module has to")
    func conforms() async throws { try await ModuleConformance.run(__NAME__Module.self) }

    @Test("A booking is sent, and the form is empty again")
    func sends() async throws {
        try await fillIn()

        let result = try await screen.send()

        #expect(result.message == "Booked 2 seats for Ada; the booking's number is 1.")
        #expect(draft.value == Booking() && screen.leaveObjections.isEmpty)
        #expect(container.analytics.events == [AnalyticsEvent("bookingCreated")])
    }

    @Test("Fields that are missing are named, and nothing is sent")
    func missing() async throws {
        await #expect(throws: ValidationError.self) { try await screen.send() }

        #expect(draft.problems == ["name": "The name is empty.", "email": "The email is empty."])
        #expect(container.mock("BookingService")?.calls.isEmpty == true)
    }

    @Test(
        "A value that a field can't have is refused beside the field, which stays as it is",
        arguments: [
            ("name", " "), ("email", "ada"), ("email", "a@b@c"), ("email", "a da@example.com"),
            ("seats", "two"), ("seats", "0"), ("seats", "9"), ("seating", "roof"),
        ])
    func refused(_ field: String, _ text: String) async throws {
        try await fillIn()
        let before = draft.value

        await #expect(throws: ValidationError.self) { try await screen.form.set(field, to: text) }

        #expect(draft.value == before && Array(draft.problems.keys) == [field])
    }

    @Test("What was filled in is kept, and objects to leaving")
    func keeps() async throws {
        try await fillIn()
        let later = try container.viewModel(__NAME__ViewModel.self, __NAME__Destination())

        later.restore(screen.savedState)

        #expect(later.form.draft.value == draft.value)
        #expect(later.leaveObjections.map(\.reason) == ["4 fields are not sent."])
    }

    @Test("After a failure of the service the input is still there")
    func failure() async throws {
        try await fillIn()
        container.mock("BookingService")?.scenario = MockScenario(.error)

        await #expect(throws: ServiceError.self) { try await screen.send() }

        #expect(draft.value.name == "Ada" && !screen.form.isSaving)
    }
}
