import Testing

@testable import AtriumManifest

@Suite("HostConfiguration")
struct HostConfigurationTests {
    /// A public key whose secret key was deleted.
    private static let key = "RWT52o316wDkECeYz6ofb3+B4tYneuNxfFMWtxm8lrRZ7knFuMW5BcZw"

    private func read(_ text: String) throws(ManifestError) -> HostConfiguration {
        try HostConfiguration(json: Array(text.utf8), file: "modules.json")
    }

    @Test("Every key is read")
    func complete() throws {
        let configuration = try read(
            """
            {
              "$schema": "modules.schema.json",
              "environment": "mock",
              "searchPaths": [".build/debug", "/usr/lib/atrium"],
              "modules": [
                { "name": "Session" },
                { "name": "Entities", "path": "lib/libEntities.so", "configuration": { "pageSize": 50, "fast": true } }
              ],
              "data": "data",
              "api": { "url": "https://example.com/api", "timeLimit": 2.5, "attempts": 2 },
              "trust": { "policy": "signed", "keys": ["\(Self.key)"] }
            }
            """)

        #expect(
            configuration
                == HostConfiguration(
                    environment: "mock", searchPaths: [".build/debug", "/usr/lib/atrium"],
                    modules: [
                        HostConfiguration.Module(name: "Session"),
                        HostConfiguration.Module(
                            name: "Entities", path: "lib/libEntities.so",
                            configuration: [
                                ManifestValue.Member(key: "pageSize", value: .integer(50)),
                                ManifestValue.Member(key: "fast", value: .bool(true)),
                            ]),
                    ],
                    data: "data",
                    api: HostConfiguration.API(
                        url: try ServerURL("https://example.com/api"), timeLimit: 2.5, attempts: 2),
                    trust: HostConfiguration.Trust(policy: .signed, keys: [Self.key])))
    }

    @Test("Omitted keys have defaults")
    func minimal() throws {
        #expect(try read(#"{"modules": []}"#) == HostConfiguration())
    }

    @Test("All errors are reported at once")
    func allAtOnce() {
        let error = #expect(throws: ManifestError.self) {
            try read(
                """
                {
                  "enviroment": "mock",
                  "environment": "test",
                  "searchPaths": [""],
                  "modules": [
                    { "name": "Session" },
                    { "nam": "Entities" },
                    { "name": "Session", "configuration": { "a": null, "b": [1] } },
                    "UserProfile"
                  ]
                }
                """)
        }

        #expect(
            error?.description == """
                modules.json:2:3: error: enviroment: Unknown key 'enviroment'; did you mean 'environment'? Allowed: $schema, environment, searchPaths, repositories, modules, data, api, apis, trust, database, log.
                modules.json:3:18: error: environment: Found 'test'; allowed: 'mock', 'local' or 'live'.
                modules.json:4:19: error: searchPaths[0]: Found ''; allowed: a text of at least 1 character.
                modules.json:7:5: error: modules[1].name: Required key 'name' is missing.
                modules.json:7:7: error: modules[1].nam: Unknown key 'nam'; did you mean 'name'? Allowed: name, path, configuration.
                modules.json:8:15: error: modules[2].name: Module 'Session' appears twice; the first is on line 6.
                modules.json:8:50: error: modules[2].configuration.a: Found null; allowed: a string, a number or a boolean.
                modules.json:8:61: error: modules[2].configuration.b: Found an array; allowed: a string, a number or a boolean.
                modules.json:9:5: error: modules[3]: Found a string; allowed: an object.
                """)
    }
}

/// Settings of the server for environment `live`.
extension HostConfigurationTests {
    private func api(_ json: String) throws(ManifestError) -> HostConfiguration.API {
        try read("{ \"modules\": [],\n\"api\": \(json) }").api
    }

    @Test("Without settings there is no server, and limits have their defaults")
    func noServer() throws {
        #expect(try api("{}") == HostConfiguration.API(url: nil, timeLimit: 30, attempts: 4))
        #expect(try api(#"{ "timeLimit": 5, "attempts": 1 }"#).timeLimit == 5)
        let files = try api(#"{ "ca": "ca.pem", "certificate": "host.pem", "key": "host.key" }"#)
        #expect([files.authority, files.certificate, files.key] == ["ca.pem", "host.pem", "host.key"])
    }

    @Test(
        "A server URL has scheme http or https, a host, and optionally a port and a path",
        arguments: [
            "http://127.0.0.1:8787", "https://example.com", "http://[::1]:8787/", "https://example.com/a/b",
            "http://localhost",
        ])
    func server(url: String) throws {
        #expect(try api(#"{ "url": "\#(url)" }"#).url == ServerURL(url))
    }

    @Test(
        "An invalid server URL or limit is a finding",
        arguments: [
            #"{ "url": "" }"#, #"{ "url": "example.com" }"#, #"{ "url": "ftp://example.com" }"#,
            #"{ "url": "http://" }"#, #"{ "url": "http://example.com?a=b" }"#,
            #"{ "url": "http://ada:secret@example.com" }"#, #"{ "url": 8787 }"#, #"{ "timeLimit": 0 }"#,
            #"{ "key": "host.key" }"#, #"{ "ca": "" }"#,
            #"{ "timeLimit": 4000 }"#, #"{ "attempts": 0 }"#, #"{ "attempts": 11 }"#, #"{ "attempts": 1.5 }"#,
            #"{ "uri": "http://example.com" }"#, "[]",
        ])
    func wrongServer(json: String) {
        let error = #expect(throws: ManifestError.self) { try api(json) }

        #expect(error?.findings.count == 1)
    }

    @Test("A wrong member of a named API is a finding with its place and what is allowed")
    func wrongNamedAPI() {
        let error = #expect(throws: ManifestError.self) {
            try read(
                """
                { "modules": [],
                  "apis": { "billing": {
                    "authorization": { "tokenPth": "a", "header": "X Session" },
                    "paging": { "pageParameter": null } } } }
                """)
        }

        #expect(
            error?.description == """
                modules.json:2:24: error: apis.billing.url: Required key 'url' is missing.
                modules.json:3:24: error: apis.billing.authorization.tokenPth: Unknown key 'tokenPth'; did you mean 'tokenPath'? Allowed: tokenPath, refreshPath, revokePath, body, grant, usernameMember, passwordMember, refreshMember, revokeMember, accessTokenMember, refreshTokenMember, expiresInMember, refreshExpiresInMember, header, scheme, clientID, clientSecret, members.
                modules.json:3:51: error: apis.billing.authorization.header: 'X Session' is not a valid header field; allowed: letters, digits, '_' and '-', and no field that HTTP itself uses, for example 'X-Token'.
                modules.json:4:34: error: apis.billing.paging.pageParameter: Found null; allowed: a string.
                """)
    }

    @Test("The finding about an invalid server URL has an example")
    func serverWording() {
        let error = #expect(throws: ManifestError.self) { try api(#"{ "url": "example.com" }"#) }

        #expect(
            error?.description
                == "modules.json:2:17: error: api.url: 'example.com' is not the URL of a server: it does not "
                + "begin with http:// or https://. For example: 'http://127.0.0.1:8787'.")
    }

    @Test("The finding about a server URL hides a password in it")
    func serverPassword() {
        let error = #expect(throws: ManifestError.self) {
            try api(#"{ "url": "http://ada:hunter2@example.com" }"#)
        }

        #expect(
            error?.description
                == "modules.json:2:17: error: api.url: 'http://…@example.com' is not the URL of a server: it has "
                + "a name or a password, which belong to 'session sign-in'. "
                + "For example: 'http://127.0.0.1:8787'.")
    }
}

/// Settings of the libraries that may be loaded.
extension HostConfigurationTests {
    private func trust(_ json: String) throws(ManifestError) -> HostConfiguration.Trust {
        try read("{ \"modules\": [],\n\"trust\": \(json) }").trust
    }

    @Test("Without a policy every library may be loaded, whether or not there are keys")
    func anyLibrary() throws {
        #expect(try trust("{}") == HostConfiguration.Trust(policy: .any, keys: []))
        #expect(try trust(#"{ "policy": "any" }"#) == HostConfiguration.Trust(policy: .any, keys: []))
        #expect(
            try trust(#"{ "keys": ["\#(Self.key)"] }"#)
                == HostConfiguration.Trust(policy: .any, keys: [Self.key]))
    }

    @Test("Locked libraries need no keys")
    func locked() throws {
        #expect(try trust(#"{ "policy": "locked" }"#).policy == .locked)
    }

    @Test(
        "An invalid trust policy is a finding",
        arguments: [
            (
                #"{ "policy": "signed" }"#,
                "2:22: error: trust.policy: Policy 'signed' needs a key in 'keys'; 'minisign -G' makes one."
            ),
            (
                #"{ "keys": [], "policy": "signed" }"#,
                "2:34: error: trust.policy: Policy 'signed' needs a key in 'keys'; 'minisign -G' makes one."
            ),
            (
                #"{ "policy": "sigend" }"#,
                "2:22: error: trust.policy: Found 'sigend'; did you mean 'signed'? Allowed: 'any', 'locked' or 'signed'."
            ),
            (
                #"{ "key": [] }"#,
                "2:12: error: trust.key: Unknown key 'key'; did you mean 'keys'? Allowed: policy, keys, typedCode."
            ),
            (#"{ "keys": "RW" }"#, "2:20: error: trust.keys: Found a string; allowed: an array."),
            (#""signed""#, "2:10: error: trust: Found a string; allowed: an object."),
        ])
    func wrongPolicy(json: String, finding: String) {
        let error = #expect(throws: ManifestError.self) { try trust(json) }

        #expect(error?.description == "modules.json:\(finding)")
    }

    @Test(
        "An invalid key is a finding, and the only one",
        arguments: [
            "", "RW", String(key.dropLast()), key + "A", key + "=", "RWU" + key.dropFirst(3),
            "RU" + key.dropFirst(2), key.replacing("+", with: "-"), " " + key.dropLast(), key + "\\n",
        ])
    func wrongKey(key: String) {
        let error = #expect(throws: ManifestError.self) {
            try trust(#"{ "policy": "signed", "keys": ["\#(key)"] }"#)
        }

        #expect(error?.findings.count == 1)
        #expect(error?.findings.first?.position == SourcePosition(line: 2, column: 41))
        #expect(error?.findings.first?.field == "trust.keys[0]")
        #expect(
            error?.findings.first?.message.hasSuffix(
                "' is not a valid minisign public key; allowed: the 56 characters from RW that 'minisign -G' "
                    + "prints, for example '\(Self.key)'.") == true, "\(error?.description ?? "")")
    }

    @Test("A repeated key is a finding")
    func sameKey() {
        let error = #expect(throws: ManifestError.self) {
            try trust(#"{ "keys": ["\#(Self.key)", "\#(Self.key)"] }"#)
        }

        #expect(
            error?.description
                == "modules.json:2:81: error: trust.keys[1]: '\(Self.key)' appears twice; the first is on line 2."
        )
    }
}

@Suite("ConfigurationDeclaration")
struct ConfigurationDeclarationTests {
    @Test(
        "A value of the wrong type is a problem that names the right type",
        arguments: [
            (.integer, .integer(1), nil), (.integer, .number(1.0), nil), (.number, .integer(1), nil),
            (.integer, .number(1.5), "must be an integer, not 1.5"),
            (.string, .bool(true), "must be a string, not true"),
            (.boolean, .string("yes"), "must be a boolean, not 'yes'"),
            (.number, .null, "must be a number, not null"),
        ] as [(ConfigurationDeclaration.ValueType, ManifestValue, String?)])
    func problem(type: ConfigurationDeclaration.ValueType, value: ManifestValue, message: String?) {
        #expect(ConfigurationDeclaration(key: "a", type: type, summary: "A").problem(with: value) == message)
    }

    @Test("Bounds are part of what is allowed")
    func bounds() {
        var declaration = ConfigurationDeclaration(
            key: "a", type: .number, minimum: .number(0.5), maximum: .integer(10), summary: "A")

        #expect(declaration.problem(with: .number(0.5)) == nil)
        #expect(declaration.problem(with: .integer(10)) == nil)
        #expect(declaration.problem(with: .integer(0)) == "must be from 0.5 to 10, not 0")
        #expect(declaration.problem(with: .string("1")) == "must be a number, not '1'")
        declaration.minimum = nil
        #expect(declaration.problem(with: .integer(11)) == "must be 10 or less, not 11")
    }

    @Test("If there are choices, no other value is allowed")
    func choices() {
        let declaration = ConfigurationDeclaration(
            key: "a", type: .integer, choices: [.integer(1), .integer(2)], summary: "A")

        #expect(declaration.problem(with: .number(2.0)) == nil)
        #expect(declaration.problem(with: .integer(3)) == "must be 1 or 2, not 3")
    }
}
