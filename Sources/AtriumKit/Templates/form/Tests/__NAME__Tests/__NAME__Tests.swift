import AtriumKit
import AtriumTesting
import Testing

@testable import __NAME__

@Suite("The form of __NAME__") @MainActor
struct __NAME__Tests {
    private let container: TestContainer
    private let form: __NAME__ViewModel

    init() throws {
        container = try TestContainer(__NAME__Module.self)
        form = try container.viewModel(__NAME__ViewModel.self, __NAME__Destination())
    }

    private func fillIn() throws {
        _ = try form.set(.name, to: " Ada ")
        _ = try form.set(.email, to: "ada@example.com")
        _ = try form.set(.seats, to: "2")
        _ = try form.set(.seating, to: "Window")
    }

    @Test("Keeps what every module has to")
    func conforms() async throws { try await ModuleConformance.run(__NAME__Module.self) }

    @Test("A booking is sent, and the form is empty again")
    func sends() async throws {
        try fillIn()

        let result = try await form.send()

        #expect(result.message == "Booked 2 seats for Ada; the booking's number is 1.")
        #expect(form.draft == BookingDraft() && form.leaveObjections.isEmpty)
        #expect(container.analytics.events == [AnalyticsEvent("booked", ["seats": "2"])])
    }

    @Test("Fields that are missing are named, and nothing is sent")
    func missing() async throws {
        await #expect(throws: ValidationError.self) { try await form.send() }

        #expect(form.problems == [.name: "The name is empty.", .email: "The email is empty."])
        #expect(container.mock("BookingService")?.calls.isEmpty == true)
    }

    @Test(
        "A value that a field can't have is refused beside the field, which stays as it is",
        arguments: [
            (BookingField.name, " "), (.email, "ada"), (.email, "a@b@c"), (.email, "a da@example.com"),
            (.seats, "two"), (.seats, "0"), (.seats, "9"), (.seating, "roof"),
        ])
    func refused(_ field: BookingField, _ text: String) throws {
        try fillIn()
        let before = form.draft

        #expect(throws: ValidationError.self) { try form.set(field, to: text) }

        #expect(form.draft == before)
        #expect(form.problems.keys.elementsEqual([field]))
    }

    @Test("What was filled in is kept, and objects to leaving")
    func keeps() throws {
        try fillIn()
        let later = try container.viewModel(__NAME__ViewModel.self, __NAME__Destination())

        later.restore(form.savedState)

        #expect(later.draft == form.draft)
        #expect(later.leaveObjections.map(\.reason) == ["The booking is not sent."])
    }

    @Test("After a failure of the service the input is still there")
    func failure() async throws {
        try fillIn()
        container.mock("BookingService")?.scenario = MockScenario(.error)

        await #expect(throws: ServiceError.self) { try await form.send() }

        #expect(form.draft.name == "Ada" && !form.isSending)
    }
}
