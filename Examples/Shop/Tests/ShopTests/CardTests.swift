import AtriumKit
import AtriumTesting
import Testing

@testable import Shop

@Suite("Cards") @MainActor
struct CardTests {
    private nonisolated static let number = "4242 4242-4242 4242"
    private let clock = FixedClock()

    private func problems(_ number: String, _ expiry: Expiry = Expiry(month: 1, year: 2026)) -> [String] {
        CardDraft(number: number, expiry: expiry).validate(at: clock.now()).map(\.message)
    }

    @Test(
        "A number with its check digit is accepted, with spaces and dashes",
        arguments: [number, "4000056655665556", "378282246310005", "6304 0000 0000"])
    func accepted(_ number: String) {
        #expect(problems(number) == [])
    }

    @Test(
        "Any other number is refused, in a sentence that does not show it",
        arguments: [
            ("", "The card number is empty."), (" - ", "The card number is empty."),
            ("4242x", "The card number may only have digits."),
            ("٤٢٤٢", "The card number may only have digits."),
            ("42424242424", "The card number must have 12 to 19 digits, not 11."),
            ("42424242424242424242", "The card number must have 12 to 19 digits, not 20."),
            ("4242424242424241", "The card number is mistyped: its last digit does not fit the others."),
            ("2442424242424242", "The card number is mistyped: its last digit does not fit the others."),
        ])
    func refused(_ number: String, _ sentence: String) {
        #expect(problems(number) == [sentence])
    }

    @Test("A card lasts to the end of its month")
    func expiry() {
        #expect(problems(Self.number, Expiry(month: 1, year: 2026)) == [])
        #expect(
            problems(Self.number, Expiry(month: 12, year: 2025)) == ["The card expired at the end of 12/25."])
        #expect(Expiry(month: 9, year: 2026).isOver(at: clock.now()) == false)
    }

    @Test("A month is read as cards have it, and nothing else", arguments: ["01/26", "12/99"])
    func month(_ text: String) {
        #expect(Expiry(text)?.text == text)
    }

    @Test(
        "Anything else is no month",
        arguments: ["", "/", "1/26", "00/26", "13/26", "01/2026", "0126", "a1/26", "01/26/"])
    func noMonth(_ text: String) {
        #expect(Expiry(text) == nil)
    }

    @Test("Nothing prints or records the number")
    func secret() async throws {
        let container = try TestContainer(ShopModule.self, session: TestSession(.ada))
        let wallets = try container.repository((any WalletRepository).self)
        let draft = CardDraft(number: Self.number, expiry: Expiry(month: 1, year: 2030))

        _ = try await wallets.save(draft)

        var dumped = "\(draft) \(String(reflecting: draft))"
        dump(draft, to: &dumped)
        let calls = try #require(container.mock("WalletService")).calls
        #expect(!dumped.contains(draft.digits))
        #expect(calls.map(\.arguments) == [["account": "ada", "card": "4242"]])
    }

    @Test("A card with a mistake is not stored")
    func mistake() async throws {
        let container = try TestContainer(ShopModule.self, session: TestSession(.ada))
        let wallets = try container.repository((any WalletRepository).self)

        let error = await #expect(throws: ValidationError.self) {
            try await wallets.save(CardDraft(number: "4242", expiry: Expiry(month: 12, year: 2025)))
        }

        #expect(error?.findings.map(\.field) == ["number", "expires"])
        #expect(container.mock("WalletService")?.calls.isEmpty == true)
    }
}
