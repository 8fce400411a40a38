import AtriumKit
import Testing

@Suite("Nearest names")
struct NearestNameTests {
    private static let commands = [
        "help", "modules", "module", "open", "back", "sign-in", "sign-out", "entities/:id",
    ]

    @Test(
        "A typing error finds the intended name",
        arguments: [
            ("hlep", "help"), ("hep", "help"), ("helpp", "help"), ("hxlp", "help"), ("HELP", "help"),
            ("modul", "modules"), ("mod", "modules"), ("sign", "sign-in"), ("sing-in", "sign-in"),
            ("bakc", "back"),
        ])
    func slips(_ typed: String, _ meant: String) {
        #expect(NearestName.of(typed, among: Self.commands) == meant)
    }

    @Test(
        "A text that is far from every name finds none",
        arguments: ["", "x", "hxxp", "frobnicate", "e", "pleh", "nepo"])
    func far(_ typed: String) {
        #expect(NearestName.of(typed, among: Self.commands) == nil)
    }

    @Test("Shared leading words do not make the rest closer")
    func sharedWords() {
        let names = ["module remove", "module search", "mock set", "nav alive"]
        #expect(NearestName.of("module remvoe", among: names) == "module remove")
        for typed in ["module release", "module retry", "mock reset", "nav explain"] {
            #expect(NearestName.of(typed, among: names) == nil)
        }
    }

    @Test("The nearest name wins, and the first of equally near names")
    func order() {
        #expect(NearestName.of("cat", among: ["car", "can"]) == "car")
        #expect(NearestName.of("cat", among: ["car", "cat"]) == "cat")
        #expect(NearestName.of("cat", among: []) == nil)
    }
}
