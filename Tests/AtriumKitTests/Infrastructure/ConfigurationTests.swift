@_spi(Host) import AtriumKit
import Testing

@Suite("A module's configuration")
struct ConfigurationTests {
    private let configuration = Configuration([
        "text": "lamp", "whole": 3, "half": 1.5, "wholeNumber": .number(4), "huge": .number(1e300),
        "flag": false,
        "nothing": .null,
    ])

    @Test("A value is read by its type")
    func values() {
        #expect(configuration.string("text") == "lamp")
        #expect(configuration.int("whole") == 3)
        #expect(configuration.double("half") == 1.5)
        #expect(configuration.bool("flag") == false)
    }

    @Test("A whole number can be read as a number, and a number without fraction as a whole number")
    func numbers() {
        #expect(configuration.double("whole") == 3)
        #expect(configuration.int("wholeNumber") == 4)
        #expect(configuration.int("half") == nil)
        #expect(configuration.int("huge") == nil)
    }

    @Test(
        "A value of another type, null or a missing key is nil",
        arguments: ["text", "whole", "half", "flag", "nothing", "missing"])
    func otherTypes(_ key: String) {
        if key != "text" { #expect(configuration.string(key) == nil) }
        if key != "whole" { #expect(configuration.int(key) == nil) }
        if key != "whole", key != "half" { #expect(configuration.double(key) == nil) }
        if key != "flag" { #expect(configuration.bool(key) == nil) }
    }
}
