@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumNavigation
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumMCP
@testable import AtriumSession

@MainActor
@Suite("Tools of the Model Context Protocol")
struct ToolTests {
    private func tools(_ shop: TestHost) -> [String: Tool] {
        Dictionary(uniqueKeysWithValues: Catalog(scene: shop.scene).tools.map { ($0.name, $0) })
    }

    private func schema(_ name: String, of shop: TestHost) throws -> String {
        let json = try #require(tools(shop)[name]).json(for: .destroys)
        return try #require(json["inputSchema"]).serialized
    }

    @Test("A tool is named after its screen and action, a command after the host")
    func names() throws {
        let names = Set(tools(try TestHost()).keys)

        #expect(
            names.isSuperset(of: [
                "items_list", "items_create", "items_id_delete", "host_modules", "host_module_add",
                "host_show",
            ]))
        #expect(names.isDisjoint(with: ["host_exit", "host_live", "host_watch", "host_top"]))
    }

    @Test("Names have at most 64 letters and digits of ASCII, and differ")
    func unusualNames() throws {
        let shop = try TestHost()
        try shop.add("Odd") { registry in
            registry.screen(OddPlace.self) { _ in OddView() }
            registry.screen(OddTwin.self) { _ in OddView() }
        }

        let names = Catalog(scene: shop.scene).tools.map(\.name).filter { $0.hasPrefix("a_") }

        #expect(names.count == 6)
        #expect(Set(names).count == 6)
        #expect(names.contains("a_b_luf6schen"))
        #expect(names.contains("a_b_luf6schen_2"))
        #expect(names.allSatisfy { $0.utf8.count <= 64 && $0.wholeMatch(of: /[a-zA-Z0-9_-]+/) != nil })
    }

    @Test("Arguments become a schema: types, defaults, choices, what is required")
    func schemas() throws {
        let shop = try TestHost()

        #expect(
            try schema("items_list", of: shop) == """
                {"type":"object","properties":{\
                "page":{"type":"integer","default":1,"description":"The page"},\
                "sort":{"type":"string","enum":["name","age"],"default":"name","description":"a choice"}},\
                "additionalProperties":false}
                """)
        #expect(
            try schema("items_create", of: shop) == """
                {"type":"object","properties":{"name":{"type":"string","description":"a text"},\
                "kind":{"type":"string","description":"a text"}},"required":["name"],\
                "additionalProperties":false}
                """)
        #expect(
            try schema("host_module_remove", of: shop) == """
                {"type":"object","properties":{\
                "name":{"type":"array","items":{"type":"string"},"minItems":1,"description":"The modules"},\
                "plan":{"type":"boolean","default":false,\
                "description":"Show the plan without changing anything"}},"required":["name"],\
                "additionalProperties":false}
                """)
    }

    @Test("What skips the confirmation is no property, whether the action asks first or later")
    func withoutYes() throws {
        let shop = try TestHost()
        _ = try shop.addPress()

        for name in ["press_print", "items_id_delete", "host_module_update"] {
            #expect(try !schema(name, of: shop).contains("\"yes\""), "\(name)")
        }
    }

    @Test("A duration is a number of seconds or a text with a unit")
    func durations() throws {
        let shop = try TestHost()
        let level = try #require(tools(shop)["host_log_level"])

        #expect(try schema("host_log_level", of: shop).contains(#""for":{"type":["number","string"]"#))
        let short = #"{"module": "Shop", "level": "debug", "for": "#
        #expect(try text(level, short + #""10m"}"#).hasSuffix("--for=10m"))
        #expect(try text(level, short + "600}").hasSuffix("--for=600"))
        #expect(throws: ArgumentError.self) { try call(level, short + "true}") }
    }

    @Test("The values of a link are required arguments; whether to ask first is none")
    func linkArguments() throws {
        #expect(
            try schema("items_id_delete", of: TestHost()) == """
                {"type":"object","properties":{"id":{"type":["string","integer"],"description":"Of the link."}},\
                "required":["id"],"additionalProperties":false}
                """)
    }

    @Test("A secret is an argument that takes its source only, and no text")
    func secrets() throws {
        let shop = try TestHost()
        let tool = try #require(tools(shop)["items_sign-in"])
        let plain = try ManifestValue.members(json: #"{"email": "a@b", "password": "hunter2"}"#)

        #expect(try schema("items_sign-in", of: shop).contains(#""pattern":"^@(env|file):.+""#))
        let error = #expect(throws: ArgumentError.self) { try tool.call(plain) }
        #expect(error?.code == "plainSecret")
        #expect(error?.message.contains("hunter2") == false)
        #expect(
            try text(tool, #"{"email": "a@b", "password": "@env:P"}"#)
                == "items sign-in --email=a@b --password=@env:P")
    }

    @Test(
        "The effect decides the annotations and who may call",
        arguments: [
            ("items_list", true, false, true, Permission.reads),
            ("host_open", true, false, false, .reads),
            ("items_create", false, false, false, .changes),
            ("host_module_add", false, false, false, .changes),
            ("items_id_delete", false, true, false, .destroys),
        ])
    func effects(
        _ name: String, _ reads: Bool, _ destroys: Bool, _ isIdempotent: Bool, _ least: Permission
    ) throws {
        let tool = try #require(tools(try TestHost())[name])
        let annotations = try #require(tool.json(for: .destroys)["annotations"])

        #expect(annotations["readOnlyHint"] == .bool(reads))
        #expect(annotations["destructiveHint"] == .bool(destroys))
        #expect(annotations["idempotentHint"] == .bool(isIdempotent))
        #expect(annotations["openWorldHint"] == false)
        #expect(Permission.allCases.first { $0.allows(tool.effect) } == least)
    }

    // MARK: - Calls

    private func call(_ tool: Tool, _ values: String) throws -> Call {
        try tool.call(ManifestValue.members(json: values))
    }

    private func text(_ tool: Tool, _ values: String) throws -> String { try call(tool, values).text }

    @Test("A call has its values as they are, whatever they look like, and is shown as it would be typed")
    func calls() throws {
        let tools = tools(try TestHost())
        let create = try #require(tools["items_create"])
        let remove = try #require(tools["host_module_remove"])
        let delete = try #require(tools["items_id_delete"])
        let list = try #require(tools["items_list"])

        let created = try call(create, #"{"name": "--yes; exit", "kind": ""}"#)
        #expect(created.values["name"] == "--yes; exit" && created.values["kind"] == "")
        #expect(created.text == "items create --name='--yes; exit' --kind=")
        let removed = try call(remove, #"{"name": ["A", "--plan"], "plan": true}"#)
        #expect(removed.values["name"] == "A\0--plan" && removed.values["plan"] == "yes")
        #expect(removed.text == "module remove --name=A --name=--plan --plan=yes")
        #expect(try text(delete, #"{"id": "--help/x"}"#) == "items/--help%2Fx delete")
        #expect(try text(list, #"{"page": 2, "sort": null}"#) == "items list --page=2")
        #expect(try text(list, #"{"page": 1e3}"#) == "items list --page=1000")
    }

    @Test(
        "Values that are missing, unknown or of another type are errors",
        arguments: [
            ("{}", ErrorCode.missingArgument), (#"{"name": null}"#, .missingArgument),
            (#"{"name": {}}"#, .invalidArgument), (#"{"name": ["a"]}"#, .invalidArgument),
            (#"{"name": "a\u0000b"}"#, .invalidArgument), (#"{"name": "a", "page": 1}"#, .unknownArgument),
        ])
    func wrongValues(_ values: String, _ code: ErrorCode) throws {
        let create = try #require(tools(try TestHost())["items_create"])

        let error = #expect(throws: ArgumentError.self) { try call(create, values) }

        #expect(error?.code == code)
    }

    @Test(
        "A value of a type that the schema does not name is refused, and never becomes a text",
        arguments: [
            ("items_create", #"{"name": true}"#), ("items_create", #"{"name": 12345678901234567890}"#),
            ("items_create", #"{"name": 7}"#), ("items_list", #"{"page": "2"}"#),
            ("items_list", #"{"page": 1.5}"#), ("items_list", #"{"page": true}"#),
            ("items_id_delete", #"{"id": false}"#), ("host_module_remove", #"{"name": "A", "plan": "yes"}"#),
            ("host_module_remove", #"{"name": [1]}"#),
        ])
    func typesOfSchema(_ tool: String, _ values: String) throws {
        let tool = try #require(tools(try TestHost())[tool])

        let error = #expect(throws: ArgumentError.self) { try call(tool, values) }

        #expect(error?.code == .invalidArgument)
    }

    // MARK: - Messages

    @Test(
        "A message with a value that can't be held is answered with its identifier",
        arguments: [#""\ud800""#, #""\udc00 x""#, #""\ud800\u0041""#, "1e400", "-1e999"])
    func unheldValue(_ value: String) throws {
        let line = #"{"jsonrpc":"2.0","method":"tools/call","params":{"a":[\#(value)]},"id":"x"}"#

        guard case .invalid(let id, let error) = RPCMessage(line: Array(line.utf8)) else {
            Issue.record("The line is a message.")
            return
        }
        #expect(id == .text("x"))
        #expect(error.number == -32700)
    }

    @Test(
        "A message that is no valid JSON is answered with its identifier where it has one",
        arguments: [
            (#"{"id":7,"method":"ping","params":{"a":1,"a":2}}"#, .number(7)),
            (#"{"method":"ping","params":\#(String(repeating: "[", count: 5_000)),"id":"x"}"#, nil),
            (#"{"id":"x","params":\#(String(repeating: "[", count: 5_000))}"#, .text("x")),
            (#"{"params":{"id":1,"b":["id",{"id":2}]}, "id" : -3 ,"c":nothing}"#, .number(-3)),
            (#"{"a":"\\\"id\\\":1","id":"\u0041\\\"","b":}"#, .text("A\\\"")),
            (#"{"b":"id","a":id,"id":4"#, .number(4)),
            (#"{"id":5,"method":"pi"#, .number(5)),
            (#"{"id":12345678901234567890123,"b":}"#, nil), (#"{"id":1.5,"b":}"#, nil),
            (#"{"id":{"id":6},"b":}"#, nil), (#"["id":8]"#, nil), (#"{"id"#, nil), ("{", nil), ("", nil),
        ] as [(String, RPCID?)])
    func brokenMessage(_ line: String, _ expected: RPCID?) throws {
        guard case .invalid(let id, let error) = RPCMessage(line: Array(line.utf8)) else {
            Issue.record("The line is a message.")
            return
        }
        #expect(id == expected)
        #expect(error.number == -32700)
    }

    @Test("A message that is not text in UTF-8 is answered with its identifier")
    func notText() throws {
        let line = Array(#"{"id":9,"a":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)

        guard case .invalid(let id, _) = RPCMessage(line: line) else {
            Issue.record("The line is a message.")
            return
        }
        #expect(id == .number(9))
    }

    // MARK: - Resources

    @Test("Screens are resources, and templates where their links have values")
    func resources() throws {
        let shop = try TestHost()
        try shop.add("Odd") { registry in
            registry.screen(OddTail.self) { _ in FairView() }
            registry.screen(OddYear.self) { _ in FairView() }
        }
        let catalog = Catalog(scene: shop.scene)

        #expect(
            catalog.resources.compactMap { $0["uri"]?.stringValue } == [
                "atrium://log", "atrium:///fair", "atrium:///items",
            ])
        #expect(
            catalog.resourceTemplates.compactMap { $0["uriTemplate"]?.stringValue }
                == ["atrium:///items/{id}", "atrium:///tail/{a}{/c*}", "atrium:///year/{a}{/b}"])
        #expect(Catalog.link(of: "atrium:///items/1?a=b")?.description == "items/1?a=b")
        #expect(Catalog.link(of: "file:///items") == nil)
        #expect(Catalog.link(of: "atrium:///") == nil)
    }
}

private struct OddPlace: Destination {
    static let pattern: LinkPattern = "a/b"
}

private struct OddTwin: Destination {
    static let pattern: LinkPattern = "a/:b"
    let b: String
}

private struct OddTail: Destination {
    static let pattern: LinkPattern = "tail/:a/:c*"
    let a: String
    let c: [String]
}

private struct OddYear: Destination {
    static let pattern: LinkPattern = "year/:a/:b?"
    let a: String
    let b: String?
}

private struct OddView: View {
    var body: Content { Title("Odd") }

    var actions: [Action] {
        Action("löschen", "Deletes", effect: .reads) { .updated }
        Action(String(repeating: "ä", count: 40), "Long", effect: .reads) { .updated }
        Action("x", "Plain", effect: .reads) { .updated }
    }
}
