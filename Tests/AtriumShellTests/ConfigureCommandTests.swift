@_spi(Host) import AtriumKit
import AtriumManifest
import Testing

@testable import AtriumCommands
@testable import AtriumLineEditor
@testable import AtriumModules
@testable import AtriumText

@Suite("The command 'module configure'")
@MainActor
struct ConfigureCommandTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
        let json = """
            {"name": "Shop", "version": "1.2.3", "entry": "ShopModule", "summary": "Sells items",
             "configuration": {
                "mode": {"type": "string", "default": "fast", "choices": ["fast", "two words"], "summary": "How"},
                "limit": {"type": "integer", "summary": "How many"},
                "isOpen": {"type": "boolean", "default": true, "summary": "Whether"},
                "apiToken": {"type": "string", "summary": "The key"}},
             "sdk": "0.2.0", "inlinedLayout": "2", "compiler": "6.3.1"}
            """
        shop.host.runtime.modules[0].manifest = try ModuleManifest(
            json: Array(json.utf8), file: "module.json")
    }

    private func texts(_ line: String) -> [String] {
        Completer(interpreter: shop.interpreter).completions(of: line, at: line.utf8.count).candidates.map(
            \.text)
    }

    @Test("Without values it lists those that there are, and where they come from")
    func list() async throws {
        _ = try await shop.output("module configure Shop limit=5 'mode=two words' apiToken=hunter2")

        let rows = try await shop.output("module configure Shop").content?.json["rows"]?.elements

        #expect(
            rows?.map { "\($0["key"]?.stringValue ?? "") \($0["origin"]?.stringValue ?? "")" } == [
                "mode module configure", "limit module configure", "isOpen default",
                "apiToken module configure",
            ])
        #expect(rows?[0]["value"] == "two words")
        #expect(rows?[1]["value"] == 5)
        #expect(rows?[3]["value"] == .null)
        let module = try await shop.json("module Shop")
        #expect(
            module.contains(
                #""configuration":[{"key":"mode","value":"two words","origin":"module configure""#))
        #expect(!module.contains("hunter2"))
    }

    @Test("A change is told in a sentence, in other scenes too, without secrets")
    func sentence() async throws {
        let other = shop.host.beginScene("other")
        var told: [String] = []
        other.announce = { told.append($0) }

        let reply = try await shop.run("module configure Shop limit=5 apiToken=hunter2")

        let sentence = "Configured Shop: limit - -> 5, apiToken - -> …."
        guard case .done(let output) = reply.outcome else {
            Issue.record("\(reply.outcome)")
            return
        }
        #expect(output.message == sentence)
        #expect(told == [sentence])
        #expect(reply.command == "module configure Shop limit=5 apiToken=…")
        let shown = JSONValue.object(output.content?.json ?? [:]).serialized
        #expect(!shown.contains("hunter2"))
    }

    @Test("A plan has the values before and afterwards, and changes nothing")
    func plan() async throws {
        let json = try await shop.json("module configure Shop isOpen=false --plan")

        #expect(
            json.contains(
                #""configuration":[{"module":"Shop","key":"isOpen","from":true,"to":false,"origin":"module configure"}]"#
            ), "\(json)")
        #expect(shop.host.runtime.configurationChanges == ConfigurationChanges())
    }

    @Test("Completion offers modules, keys with the values that are allowed, and what can be reset")
    func completion() async throws {
        #expect(texts("module configure S") == ["Shop"])
        #expect(texts("module configure Shop mo") == ["mode=fast", "'mode=two words'"])
        #expect(texts("module configure Shop li") == ["limit="])
        #expect(texts("module configure Shop limit=5 is") == ["isOpen=true", "isOpen=false"])
        #expect(texts("module configure Shop --reset ") == [])

        _ = try await shop.output("module configure Shop limit=5")

        #expect(texts("module configure Shop --reset ") == ["limit"])
        let line = "module configure Shop li"
        let list = Completer(interpreter: shop.interpreter).completions(of: line, at: line.utf8.count)
        #expect(list.candidates.map(\.isFinal) == [false])
    }

    @Test("The values of a list are completed behind its first")
    func lists() {
        #expect(texts("module update Shop I") == ["Idle"])
        #expect(texts("module update Shop Idle S") == ["Shop"])
    }
}
