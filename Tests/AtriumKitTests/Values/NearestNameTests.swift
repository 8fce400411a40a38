import AtriumKit
import Testing

@Suite("The name that was probably meant")
struct NearestNameTests {
    private static let commands = [
        "help", "modules", "module", "open", "back", "sign-in", "sign-out", "entities/:id",
    ]

    @Test(
        "A slip of the fingers finds the name",
        arguments: [
            ("hlep", "help"), ("hep", "help"), ("helpp", "help"), ("hxlp", "help"), ("HELP", "help"),
            ("modul", "modules"), ("mod", "modules"), ("sign", "sign-in"), ("sing-in", "sign-in"),
            ("bakc", "back"),
        ])
    func slips(_ typed: String, _ meant: String) {
        #expect(NearestName.of(typed, among: Self.commands) == meant)
    }

    @Test(
        "What is far from every name finds none",
        arguments: ["", "x", "hxxp", "frobnicate", "e", "pleh", "nepo"])
    func far(_ typed: String) {
        #expect(NearestName.of(typed, among: Self.commands) == nil)
    }

    @Test("Among equally near names the first wins, a nearer one beats it")
    func order() {
        #expect(NearestName.of("cat", among: ["car", "can"]) == "car")
        #expect(NearestName.of("cat", among: ["car", "cat"]) == "cat")
        #expect(NearestName.of("cat", among: []) == nil)
    }
}
