import Testing

@testable import AtriumManifest

/// A manifest that uses every key, as its author writes it.
let completeManifest = """
    {
      "$schema": "../../module.schema.json",
      "name": "Entities",
      "version": "1.0.0",
      "entry": "EntitiesModule",
      "summary": "Browse, search and edit entities",
      "requires": { "Session": "^1.0.0", "UserProfile": ">=1.2.0 <2.0.0" },
      "activation": "onDemand",
      "provides": ["HTTPTransport"],
      "screens": { "entities": "All entities", "entities/:id": "One entity" },
      "configuration": {
        "pageSize": { "type": "integer", "default": 20, "choices": [10, 20, 50], "summary": "Rows on a page" },
        "api.baseURL": { "type": "string", "summary": "Where the servers are" }
      }
    }
    """

/// Returns a manifest with the required members and then `members`.
private func manifest(_ members: String) -> String {
    """
    { "name": "A", "version": "1.0.0", "entry": "A", "summary": "A",
    \(members) }
    """
}

/// Reads a manifest, and returns the findings without the name of the file.
private func findings(_ text: String, form: ModuleManifest.Form = .authored) -> [String] {
    do {
        _ = try ModuleManifest(json: Array(text.utf8), file: "module.json", form: form)
        return []
    } catch {
        return error.findings.map(\.description)
    }
}

@Suite("ModuleManifest")
struct ModuleManifestTests {
    @Test("Every key is read")
    func complete() throws {
        let manifest = try ModuleManifest(
            json: Array(completeManifest.utf8), file: "module.json", form: .authored)

        #expect(manifest.name == "Entities")
        #expect(manifest.version == SemanticVersion(1, 0, 0))
        #expect(manifest.entry == "EntitiesModule")
        #expect(manifest.summary == "Browse, search and edit entities")
        #expect(manifest.requires.map(\.description) == ["Session ^1.0.0", "UserProfile >=1.2.0 <2.0.0"])
        #expect(manifest.activation == .onDemand)
        #expect(manifest.provides == ["HTTPTransport"])
        #expect(
            manifest.screens == [
                ScreenDeclaration(pattern: "entities", summary: "All entities"),
                ScreenDeclaration(pattern: "entities/:id", summary: "One entity"),
            ])
        #expect(manifest.screens[1].parameters == ["id"])
        #expect(
            manifest.configuration == [
                ConfigurationDeclaration(
                    key: "pageSize", type: .integer, defaultValue: .integer(20),
                    choices: [.integer(10), .integer(20), .integer(50)], summary: "Rows on a page"),
                ConfigurationDeclaration(key: "api.baseURL", type: .string, summary: "Where the servers are"),
            ])
        #expect(manifest.sdk == nil)
        #expect(manifest.compiler == nil)
    }

    @Test("Omitted keys have defaults")
    func minimal() throws {
        let manifest = try ModuleManifest(
            json: Array(manifest("\"requires\": {}").utf8), file: "", form: .authored)

        #expect(manifest.activation == .startup)
        #expect(manifest.requires == [] && manifest.provides == [] && manifest.screens == [])
        #expect(manifest.configuration == [])
    }

    @Test("Screens that the build read are in a manifest that lists none, where commands find them")
    func readScreens() throws {
        let read = [ScreenDeclaration(pattern: "jars", summary: "All jars")]
        func embedded(_ members: String, _ screens: [ScreenDeclaration]?) throws(ManifestError) -> String {
            try ModuleManifest.stamped(
                Array(manifest(members).utf8), file: "module.json", compiler: "6.3.1", screens: screens
            ).embedded
        }
        let commands = #""commands": { "fill": "jars fill" }"#
        let listed = #""screens": { "jars": "Mine" }"#

        #expect(try embedded(commands, read).contains(#""A","screens":{"jars":"All jars"},"commands":"#))
        #expect(try embedded(listed, read).contains(#""A","screens":{"jars":"Mine"},"sdk":"#))
        #expect(!(try embedded(#""requires": {}"#, []).contains("screens")))
        // Nothing is known of code that can't be parsed: the compiler reports it.
        #expect(throws: Never.self) { try embedded(commands, nil) }
        #expect(throws: ManifestError.self) { try embedded(commands, []) }
    }

    @Test("All errors are reported at once, in the format of compilers")
    func allAtOnce() {
        let text = """
            {
              "name": "entities",
              "version": "1.0",
              "entry": "Entities Module",
              "reqires": { "Session": "^1.0.0" },
              "requires": { "session": "^1", "Profile": "latest", "Other": 1 },
              "activation": "ondemand",
              "screens": { "Entities": "All", "entities/:id": "", "entities/:number": "One" },
              "sdk": "1.0.0"
            }
            """

        let error = #expect(throws: ManifestError.self) {
            try ModuleManifest(json: Array(text.utf8), file: "Plugins/Entities/module.json", form: .authored)
        }

        let lines = """
            1:1: error: summary: Required key 'summary' is missing.
            2:11: error: name: 'entities' is not a valid module name; allowed: a capital letter, then letters and digits, at most 64 in all, for example 'UserProfile'.
            3:14: error: version: '1.0' is not a valid semantic version; allowed: three numbers without leading zeros, then optionally '-' and a prerelease, then optionally '+' and build metadata, for example '1.0.0'.
            4:12: error: entry: 'Entities Module' is not a valid Swift identifier; allowed: a letter or '_', then letters, digits and '_', for example 'UserProfileModule'.
            5:3: error: reqires: Unknown key 'reqires'; did you mean 'requires'? Allowed: $schema, name, version, entry, summary, requires, uses, contracts, capabilities, activation, provides, screens, commands, configuration.
            6:17: error: requires.session: 'session' is not a valid module name; allowed: a capital letter, then letters and digits, at most 64 in all, for example 'UserProfile'.
            6:45: error: requires.Profile: 'latest' is not a version range: found 'latest' instead of its major number; allowed: 1.2.3, ^1.2.0, ~1.2, comparisons such as '>=1.0.0 <2.0.0', or *.
            6:64: error: requires.Other: Found an integer; allowed: a string.
            7:17: error: activation: Found 'ondemand'; did you mean 'onDemand'? Allowed: 'startup' or 'onDemand'.
            8:16: error: screens.Entities: 'Entities' is not a valid link; allowed: segments between '/', each of lowercase letters, digits and '-', or ':' and the name of a parameter; at the end also ':name?' for parameters that may be absent, or one ':name*' for any number of segments, for example 'entities/:id'.
            8:51: error: screens["entities/:id"]: '' is not a valid line of text; allowed: one line that is not empty, without control characters or space at its ends, for example 'Browse, search and edit entities'.
            8:55: error: screens["entities/:number"]: 'entities/:number' answers the same links as 'entities/:id' on line 8; remove one of them.
            9:3: error: sdk: 'sdk' is stamped by the build; remove it.
            """
        #expect(
            error?.sentence.hasPrefix("line 1, summary: Required key 'summary' is missing. line 2, name: ")
                == true)
        let expected = lines.split(separator: "\n").map { "Plugins/Entities/module.json:\($0)" }
        #expect(error?.description.split(separator: "\n").map(String.init) == expected)
    }

    @Test(
        "Semantic errors are findings",
        arguments: [
            (
                #""requires": {"A": "*"}"#,
                "2:14: error: requires.A: A module can't require itself; remove it."
            ),
            (
                #""contracts": {"A": "^1.0"}"#,
                "2:15: error: contracts.A: A contract and what is built on it have different names; rename one."
            ),
            (
                #""contracts": {"B": ">=1.0.0 <3.0.0"}"#,
                "2:20: error: contracts.B: '>=1.0.0 <3.0.0' allows several major versions; what is built on a "
                    + "contract is built on one, for example '^1.1'."
            ),
            (
                #""screens": {"a/:x/:x": "A"}"#,
                #"2:13: error: screens["a/:x/:x"]: Parameter ':x' appears twice; each needs a name of its own."#
            ),
            (
                #""screens": {"a/:x/b": "A", "a/:y/b": "B", "a/b": "C", "a/:x/:b": "D"}"#,
                #"2:28: error: screens["a/:y/b"]: 'a/:y/b' answers the same links as 'a/:x/b' on line 2; remove one of them."#
            ),
            (
                #""provides": ["B", "C", "B"]"#,
                "2:24: error: provides[2]: 'B' appears twice; the first is on line 2."
            ),
            (
                #""configuration": {"a": {"type": "integer", "summary": "A", "default": "x"}}"#,
                "2:71: error: configuration.a.default: The default must be an integer, not 'x'."
            ),
            (
                #""configuration": {"a": {"type": "boolean", "summary": "A", "choices": [true, 1]}}"#,
                "2:78: error: configuration.a.choices[1]: A choice must be a boolean, not 1."
            ),
            (
                #""configuration": {"a": {"type": "string", "summary": "A", "default": "x", "choices": ["y", "z"]}}"#,
                "2:70: error: configuration.a.default: The default must be 'y' or 'z', not 'x'."
            ),
            (
                #""configuration": {"a": {"type": "string", "summary": "A", "minimum": 1}}"#,
                "2:70: error: configuration.a.minimum: Only an integer or a number has a minimum."
            ),
            (
                #""configuration": {"a": {"type": "integer", "summary": "A", "maximum": 1.5}}"#,
                "2:71: error: configuration.a.maximum: The maximum must be an integer, not 1.5."
            ),
            (
                #""configuration": {"a": {"type": "number", "summary": "A", "minimum": 2, "maximum": 1}}"#,
                "2:84: error: configuration.a.maximum: The maximum is less than the minimum."
            ),
            (
                #""configuration": {"a": {"type": "number", "summary": "A", "default": 0, "minimum": 0.1}}"#,
                "2:70: error: configuration.a.default: The default must be 0.1 or more, not 0."
            ),
            (
                #""configuration": {"a": {"type": "number", "summary": "A", "required": true}}"#,
                "2:59: error: configuration.a.required: Unknown key 'required'. Allowed: type, default, choices, minimum, maximum, summary."
            ),
            (
                #""compiler": "6.3.1""#,
                "2:1: error: compiler: 'compiler' is stamped by the build; remove it."
            ),
        ] as [(String, String)])
    func semantics(members: String, finding: String) {
        #expect(findings(manifest(members)) == [finding])
    }

    @Test(
        "Screens with common links, and repeated parameters, are findings",
        arguments: [
            (
                "reports", "reports/:year?",
                "'reports/:year?' answers the same links as 'reports' on line 2; remove one of them."
            ),
            (
                "a/:x/:y?", "a/:z",
                "'a/:z' answers the same links as 'a/:x/:y?' on line 2; remove one of them."
            ),
            ("a/:x*", "a/:y*", "'a/:y*' answers the same links as 'a/:x*' on line 2; remove one of them."),
            ("a", "b/:x/:x?", "Parameter ':x' appears twice; each needs a name of its own."),
            ("a", "b/:x/:x*", "Parameter ':x' appears twice; each needs a name of its own."),
        ])
    func sharedLinks(first: String, second: String, finding: String) {
        let text = manifest("\"screens\": {\"\(first)\": \"A\", \"\(second)\": \"B\"}")

        #expect(findings(text).count == 1)
        #expect(findings(text).first?.hasSuffix(finding) == true)
    }

    @Test(
        "A tail does not conflict with a shorter or more specific pattern",
        arguments: [("files", "files/:path*"), ("files/:id", "files/:path*"), ("files/:id?", "files/:path*")])
    func tails(first: String, second: String) {
        #expect(findings(manifest("\"screens\": {\"\(first)\": \"A\", \"\(second)\": \"B\"}")).isEmpty)
    }

    @Test("A screen lists its parameters without their marks, and its shapes without names")
    func parameters() {
        #expect(ScreenDeclaration(pattern: "a/:x/:y?/:z?", summary: "").parameters == ["x", "y", "z"])
        #expect(ScreenDeclaration(pattern: "a/:x/:z*", summary: "").parameters == ["x", "z"])
        #expect(
            ScreenDeclaration(pattern: "a/:x/:y?/:z?", summary: "").shapes == ["a/:", "a/:/:", "a/:/:/:"])
        #expect(ScreenDeclaration(pattern: "a/:z*", summary: "").shapes == ["a/*"])
    }

    @Test("A module's name has 64 characters at most")
    func longName() {
        let letters = String(repeating: "a", count: 63)
        let manifest = { (name: String) in
            #"{"name": "\#(name)", "version": "1.0.0", "entry": "Entry", "summary": "A module"}"#
        }

        #expect(findings(manifest("A" + letters)).isEmpty)
        #expect(!findings(manifest("AA" + letters)).isEmpty)
    }

    @Test(
        "Links consist of lowercase segments and named parameters",
        arguments: [
            ("entities", true), ("profile/edit", true), ("a/:id/b-2", true), (":id", true), ("2fa", true),
            ("", false),
            ("/a", false), ("a/", false), ("a//b", false), ("A", false), ("a/:", false), ("a/:Id", false),
            ("a b", false),
            ("a/:id?", true), ("a/:id?/:b?", true), ("a/:b*", true), (":a/:b*", true), ("a/:id?/b", false),
            ("a/:id?/:b", false), ("a/:b*/c", false), ("a/:b*/:c*", false), ("a/:b?/:c*", false),
            (":a?", false), (":a*", false), ("a?", false), ("a/b?", false), ("a/*", false), ("a/::b", false),
            ("a/:?", false), ("a?b", false), ("-a", false), ("é", false),
        ] as [(String, Bool)])
    func links(pattern: String, isValid: Bool) {
        #expect(findings(manifest("\"screens\": {\"\(pattern)\": \"A\"}")).isEmpty == isValid)
    }

    @Test(
        "A summary is one printable line",
        arguments: [
            ("A", true), ("Zwölf – “Boxkämpfer”", true), ("", false), (" A", false), ("A ", false),
            ("A\\nB", false),
            ("A\\u001B[31m", false), ("A\\u2028B", false), ("\\u00A0", false),
        ] as [(String, Bool)])
    func summaries(text: String, isValid: Bool) {
        #expect(findings(manifest("\"screens\": {\"a\": \"\(text)\"}")).isEmpty == isValid)
    }

    @Test(
        "A document that is not an object, or not JSON, has one finding",
        arguments: [
            ("[]", "1:1: error: Found an array; allowed: an object."),
            (
                "{\n  \"name\": }",
                "2:11: error: Found '}' after ':'; allowed: a string, a number, true, false, null, '[' or '{'."
            ),
        ])
    func noObject(text: String, finding: String) {
        #expect(findings(text) == [finding])
    }

    @Test("A version with a number that is too large is a finding of its field")
    func hugeVersion() {
        let text = #"{"name": "A", "version": "99999999999999999999.0.0", "entry": "A", "summary": "A"}"#

        #expect(findings(text).count == 1)
        #expect(
            findings(text)[0].hasPrefix("1:26: error: version: '99999999999999999999.0.0' is not a version: ")
        )
    }
}

@Suite("ManifestStamp")
struct ManifestStampTests {
    @Test("The embedded manifest is compact, has the stamp and omits $schema")
    func apply() throws {
        let (authored, embedded) = try ModuleManifest.stamped(
            Array(completeManifest.utf8), file: "module.json", sdk: SemanticVersion(0, 2, 0),
            inlinedLayout: 7,
            compiler: "6.3.1")

        let read = try ModuleManifest(json: Array(embedded.utf8), file: "libEntities.so", form: .embedded)

        #expect(embedded.hasPrefix(#"{"name":"Entities","version":"1.0.0","entry":"#))
        #expect(embedded.contains(#""summary":"Where the servers are"}},"#))
        #expect(embedded.hasSuffix(#""sdk":"0.2.0","inlinedLayout":"7","compiler":"6.3.1"}"#))
        #expect(read.sdk == SemanticVersion(0, 2, 0))
        #expect(read.inlinedLayout == 7)
        #expect(read.compiler == "6.3.1")
        #expect(read.requires == authored.requires)
        #expect(read.screens == authored.screens)
        #expect(read.configuration == authored.configuration)
    }

    @Test("An embedded manifest without the stamp has findings")
    func missing() {
        #expect(
            findings(
                #"{"name": "A", "version": "1.0.0", "entry": "A", "summary": "A", "compiler": 6}"#,
                form: .embedded)
                == [
                    "1:1: error: sdk: 'sdk' is missing or no text; build the module with the plugin EmbedManifest.",
                    "1:77: error: compiler: 'compiler' is missing or no text; build the module with the plugin EmbedManifest.",
                ])
    }

    @Test("An invalid manifest is not stamped")
    func invalid() {
        #expect(throws: ManifestError.self) {
            try ModuleManifest.stamped(Array("{}".utf8), file: "module.json", compiler: "6.3.1")
        }
    }

    @Test("The stamp says the AtriumKit of this package")
    func sdk() throws {
        let (_, embedded) = try ModuleManifest.stamped(
            Array(completeManifest.utf8), file: "module.json", compiler: "6.3.1")

        #expect(embedded.contains(#""sdk":"\#(SDKVersion.current)""#))
        #expect(SDKVersion.current.description == "0.6.0")
    }

    @Test(
        "Types of elements differ only if both are known to all modules, and have one form",
        arguments: [
            ("(id: Int, name: String)", "(id: Int, title: String)", true),
            ("@MainActor () -> Money", "@MainActor @Sendable () -> Money", false),
            ("[Int]", "[ Int ]", false), ("[Int]", "Array<Int>", false), ("Int", "Offer", false),
            ("() -> Void", "() -> ()", false), ("Int", "String?", true), ("Int", "Swift.Int", false),
        ])
    func points(_ left: String, _ right: String, differ: Bool) {
        let point = PointDeclaration(name: "offers", element: left)

        #expect(point.differs(from: PointDeclaration(name: "offers", element: right)) == differ)
        #expect(!point.differs(from: PointDeclaration(name: "others", element: right)))
    }

    @Test("The build adds the points; an author who lists them is told so")
    func pointsOfTheBuild() throws {
        let json = #"{"name": "A", "version": "1.0.0", "entry": "A", "summary": "A"}"#
        let stamped = try ModuleManifest.stamped(
            Array(json.utf8), file: "module.json", compiler: "6.3.1",
            points: [PointDeclaration(name: "offers", element: "Int")])
        let embedded = try ModuleManifest(json: Array(stamped.embedded.utf8), file: "module.json")
        let error = #expect(throws: ManifestError.self) {
            try ModuleManifest(json: Array(stamped.embedded.utf8), file: "module.json", form: .authored)
        }

        #expect(embedded.points.map(\.element) == ["Int"])
        #expect(
            error?.description.contains("'points' is read from the code by the build; remove it.") == true)
    }
}
