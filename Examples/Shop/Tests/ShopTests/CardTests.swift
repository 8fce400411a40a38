import AtriumKit
import AtriumTesting
import Testing

@testable import Shop

@Suite("Cards") @MainActor
struct CardTests {
    private let container: TestContainer
    private let wallets: WalletRepository

    init() throws {
        container = try TestContainer(ShopModule.self, session: TestSession(.ada))
        wallets = try container.repository()
    }

    @Test(
        "A number with its check digit is accepted, with spaces and dashes",
        arguments: ["4242 4242-4242 4242", "4000056655665556", "378282246310005", "6304 0000 0000"])
    func accepted(_ number: String) {
        #expect(CardNumber(number).problem == nil)
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
        #expect(CardNumber(number).problem == sentence)
    }

    @Test("A card lasts to the end of its month")
    func expiry() {
        let now = container.clock.now()

        #expect(["01/26", "09/26", "12/99"].map { Expiry($0).isOver(at: now) } == [false, false, false])
        #expect(["12/25", "01/00"].map { Expiry($0).isOver(at: now) } == [true, true])
    }

    @Test("A month is read as cards have it, and nothing else", arguments: ["01/26", "12/99"])
    func month(_ text: String) {
        #expect(Expiry(argument: text)?.argumentText == text)
    }

    @Test(
        "Anything else is no month",
        arguments: ["", "/", "1/26", "00/26", "13/26", "01/2026", "0126", "a1/26", "01/26/", "٠١/26"])
    func noMonth(_ text: String) {
        #expect(Expiry(argument: text) == nil)
    }

    @Test("Nothing prints or records the number")
    func secret() async throws {
        let number = CardNumber("4242 4242-4242 4242")

        try await wallets.save(number, Expiry("01/30"))

        var dumped = "\(number) \(String(reflecting: number))"
        dump(number, to: &dumped)
        let calls = try #require(container.mock("WalletService")).calls
        #expect(!dumped.contains(number.digits) && dumped.contains("4242"))
        #expect(calls.last?.arguments["card"] == "4242")
        #expect(!"\(calls)".contains(number.digits))
    }

    @Test("A card with a mistake is not stored")
    func mistake() async throws {
        let error = await #expect(throws: ValidationError.self) {
            try await wallets.save(CardNumber("4242"), Expiry("12/25"))
        }

        #expect(error?.findings.map(\.field) == ["number", "expires"])
        #expect(error?.message.hasSuffix("The card expired at the end of 12/25.") == true)
        #expect(container.mock("WalletService")?.calls.isEmpty == true)
    }
}
