@_spi(Host) import AtriumKit
import AtriumManifest
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

@Suite("A module's configuration in modules.json")
struct ModuleConfigurationTests {
    private let declaration = """
        {"scenario": {"type": "string", "default": "success", "choices": ["success", "error"], "summary": "s"},
         "delay": {"type": "number", "default": 0.5, "summary": "s"},
         "count": {"type": "integer", "summary": "s"},
         "isOn": {"type": "boolean", "default": true, "summary": "s"}}
        """

    private func merge(_ configured: [(String, ManifestValue)]) throws -> Configuration {
        try ModuleConfiguration.merge(
            ConfiguredValues(file: configured.map { ManifestValue.Member(key: $0.0, value: $0.1) }),
            into: manifest(manifestJSON(configuration: declaration)))
    }

    @Test("Without values the declared defaults apply; a key without a default has no value")
    func defaults() throws {
        let configuration = try merge([])

        #expect(configuration.string("scenario") == "success")
        #expect(configuration.double("delay") == 0.5)
        #expect(configuration.bool("isOn") == true)
        #expect(configuration.int("count") == nil)
    }

    @Test("Configured values replace the defaults; other defaults stay")
    func values() throws {
        let configuration = try merge([
            ("scenario", .string("error")), ("delay", .integer(2)), ("count", .integer(3)),
        ])

        #expect(configuration.string("scenario") == "error")
        #expect(configuration.double("delay") == 2)
        #expect(configuration.int("count") == 3)
        #expect(configuration.bool("isOn") == true)
    }

    @Test("A whole number written with a fraction is read as an integer")
    func wholeNumber() throws {
        #expect(try merge([("count", .number(3))]).int("count") == 3)
    }

    @Test("All errors are reported at once")
    func problems() {
        let error = #expect(throws: ModuleError.self) {
            try merge([
                ("senario", .string("error")), ("count", .string("3")), ("scenario", .string("eror")),
                ("isOn", .integer(1)), ("delay", .null), ("frobnicate", .bool(true)), ("count", .number(1.5)),
            ])
        }

        #expect(error?.code == "badConfiguration")
        #expect(error?.category == .module)
        #expect(
            error?.message
                == "The configuration of module 'Catalog' in modules.json is wrong: "
                + "it does not know \"senario\"; did you mean \"scenario\"? "
                + "\"count\" must be an integer, not '3'. "
                + "\"scenario\" must be 'success' or 'error', not 'eror'. "
                + "\"isOn\" must be a boolean, not 1. \"delay\" must be a number, not null. "
                + "it does not know \"frobnicate\". \"count\" must be an integer, not 1.5.")
        #expect(error?.hint == "Correct modules.json; the manifest of the module declares the keys.")
    }
}
