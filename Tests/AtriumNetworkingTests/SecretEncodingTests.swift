import AtriumKit
import AtriumTesting
import Foundation
import Testing

@testable import AtriumNetworking

@Suite("No text contains a secret in any encoding")
struct SecretEncodingTests {
    private static let secret = #"é"x/y+z 1234&<\'>😀"#
    private static let token = "tök~en?>>?9-8_7"

    struct Encoding: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let encode: @Sendable (String) -> String

        init(_ name: String, _ encode: @escaping @Sendable (String) -> String) {
            (testDescription, self.encode) = (name, encode)
        }
    }

    private static func escaped(_ text: String, _ escape: (Unicode.Scalar) -> String?) -> String {
        text.unicodeScalars.map { escape($0) ?? String($0) }.joined()
    }

    private static func percent(_ text: String, isUpper: Bool = true, keeping kept: String = "") -> String {
        text.utf8.map { byte in
            let isPlain = Character(Unicode.Scalar(byte)).isLetter && byte < 128 || kept.utf8.contains(byte)
            return isPlain
                ? String(Unicode.Scalar(byte)) : String(format: isUpper ? "%%%02X" : "%%%02x", byte)
        }.joined()
    }

    private static func utf16(_ text: String, after mark: String) -> String {
        escaped(text) {
            $0.isASCII && $0 != "\"" && $0 != "\\"
                ? nil
                : String($0).utf16.map {
                    String(format: "\(mark)%04x", $0)
                }.joined()
        }
    }

    static let encodings = [
        Encoding("as it is") { $0 },
        Encoding("percent") { percent($0) },
        Encoding("percent in lower case") { percent($0, isUpper: false) },
        Encoding("percent of the reserved characters only") { percent($0, keeping: "1234-_~xyz/") },
        Encoding("percent twice") { percent(percent($0), keeping: "0123456789") },
        Encoding("form") { percent($0, keeping: " ").replacing(" ", with: "+") },
        Encoding("Base64") { Data($0.utf8).base64EncodedString() },
        Encoding("Basic") { "Basic " + Data("ada:\($0)".utf8).base64EncodedString() },
        Encoding("Base64 after one byte") { Data("u:\($0)/more".utf8.dropFirst()).base64EncodedString() },
        Encoding("Base64 after two bytes") { Data("u:\($0)".utf8).base64EncodedString() },
        Encoding("Base64 for URLs") {
            Data("\($0)".utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        },
        Encoding("Base64 as a value of a form") { percent(Data($0.utf8).base64EncodedString()) },
        Encoding("hexadecimal") { $0.utf8.map { String(format: "%02x", $0) }.joined() },
        Encoding("hexadecimal in capitals") { $0.utf8.map { String(format: "%02X", $0) }.joined() },
        Encoding("JSON") { String(JSONValue.string($0).serialized.dropFirst().dropLast()) },
        Encoding("JSON in ASCII") { utf16($0, after: #"\u"#) },
        Encoding("JSON in JSON") { utf16($0, after: #"\\u"#) },
        Encoding("JSON with escaped slashes") {
            escaped($0) { ["\"", "\\", "/"].contains($0) ? "\\\($0)" : nil }
        },
        Encoding("bytes of Python") {
            $0.utf8.map { byte in
                switch byte {
                case 0x27, 0x5C: "\\" + String(Unicode.Scalar(byte))
                case 32..<127: String(Unicode.Scalar(byte))
                default: String(format: #"\x%02x"#, byte)
                }
            }.joined()
        },
        Encoding("ascii() of Python") {
            escaped($0) {
                switch $0.value {
                case 0x27, 0x5C: "\\\($0)"
                case ..<128: nil
                case ..<256: String(format: #"\x%02x"#, $0.value)
                case ..<0x10000: String(format: #"\u%04x"#, $0.value)
                default: String(format: #"\U%08x"#, $0.value)
                }
            }
        },
        Encoding("octal") { $0.utf8.map { String(format: #"\%03o"#, $0) }.joined() },
        Encoding("scalars of Swift") {
            escaped($0) { $0 == "\\" ? "\\\\" : $0.isASCII ? nil : "\\u{\(String($0.value, radix: 16))}" }
        },
        Encoding("decomposed") { percent($0.decomposedStringWithCanonicalMapping) },
        Encoding("entities of HTML") {
            escaped($0) {
                ["\"": "&quot;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#x27;", "é": "&#233;"][$0]
            }
        },
        Encoding("entities of HTML twice") {
            escaped($0) { ["\"": "&amp;quot;", "&": "&amp;amp;", "<": "&amp;lt;", "'": "&amp;#39;"][$0] }
        },
    ]

    @Test("A server that repeats a password or a token, encoded, reveals none", arguments: encodings)
    func server(encoding: Encoding) async throws {
        let echoes = [Self.secret, Self.token].map(encoding.encode)
        let sentence = JSONValue.string("You sent <\(echoes[0])> and <\(echoes[1])>.").serialized
        let fields =
            [
                "Content-Type": "application/problem+json", "X-Echo": echoes.joined(separator: " , "),
            ] as HTTPFields
        let client = try TestClient(configure: { $0.retry.attempts = 1 }) { request in
            if request.url.hasSuffix("/lost") {
                throw TransportError(.requestFailed, "Sent \(echoes[0]).", hint: "Not \(echoes[1]).")
            }
            return .json(
                """
                {"title": \(sentence), "detail": \(sentence), "note": {"x": [\(sentence)]},
                 "errors": [{"detail": \(sentence), "pointer": \(sentence)}]}
                """, status: 422, fields)
        }
        let printed = Printed()
        client.tracer.start(.full) { printed.add([$0]) }

        for path in ["v1/users", "v1/lost"] {
            let body: APIBody = .json(["password": Self.secret, "refresh_token": Self.token])
            let error = try #require(
                await failure { try await client.manager.request(Endpoint<Row>(.post, path, body: body)) })
            printed.add([
                String(reflecting: error), error.message, error.hint ?? "", error.answer?.body ?? "",
            ])
            dump(error, to: &printed.text)
        }
        printed.add(client.log.messages)
        dump(await client.manager.metrics, to: &printed.text)

        #expect(printed.text.contains("(hidden)"))
        for text in echoes + [Self.secret, Self.token] {
            #expect(!printed.text.contains(text), "\(printed.text)")
        }
    }

    @Test(
        "A secret that a server cuts is hidden up to there", arguments: [4, 9, 14], ["…", "...", "\\u2026"])
    func cut(count: Int, end: String) {
        let start = Self.secret.prefix(count)

        #expect(Redactor([Self.secret])("No \(start)\(end)") == "No (hidden)\(end)")
        #expect(Redactor([Self.secret])("No \(Self.percent(String(start)))\(end)") == "No (hidden)\(end)")
    }

    @Test("What only resembles a secret stays")
    func others() {
        let redact = Redactor(["password1", "a%b"])

        let texts =
            "Choose another password|password|\"password\", 1|Your password is wrong.|passwordX|100 %|%|\\|&|&;|\\u12|%C3|a+b|é😀"
        for text in texts.split(separator: "|").map(String.init) {
            #expect(redact(text) == text)
        }
        #expect(redact("a%25b a%b") == "(hidden) (hidden)")
        #expect(Redactor([])("x") == "x" && Redactor([""])("x") == "x")
    }

    @Test("The password in the URL of a proxy is hidden, whatever the request")
    func proxy() async {
        await #expect(processExitsWith: .success) {
            for (name, url) in [
                ("http_proxy", "http://user:s3cret@127.0.0.1:99999"),
                ("HTTPS_PROXY", "https://t%6Bken@proxy:1"),
                ("all_proxy", "user:p@ss@proxy"), ("HTTP_PROXY", "http://proxy"), ("https_proxy", "@"),
            ] {
                setenv(name, url, 1)
            }
            let client = try TestClient(configure: { $0.retry.attempts = 1 }) { _ in
                throw TransportError(
                    .serverUnreachable, "Bad proxy 'http://user:s3cret@127.0.0.1:99999', t%6Bken, p@ss.",
                    neverSent: true)
            }
            let error = await failure { try await client.manager.request(.row(1)) }
            let ping = await failure { try await client.manager.ping() }
            let causes = [error, ping].map { ($0?.cause as? TransportError)?.message }
            let expected = "Bad proxy 'http://user:(hidden)@127.0.0.1:99999', (hidden), (hidden)."
            #expect(causes == [expected, expected])
        }
    }

    @Test("An accent that a server composes or decomposes is hidden")
    func composed() {
        #expect(Redactor(["cafe\u{301} noir"])("caf\u{E9} noir.") == "(hidden).")
    }

    @Test(
        "The work grows with the text, whatever it holds",
        arguments: ["\\", "é", "a", "&amp;", "%25", "%C3%A9 & more \\u00e9 ", "\"", "+"])
    func large(piece: String) {
        let redact = Redactor([Self.secret, Self.token, String(repeating: "a", count: 200) + "b"])

        let redacted = redact(String(repeating: piece, count: (1 << 20) / piece.utf8.count))

        #expect(redacted.utf8.count <= 64 * 1024 + 3 && redacted.hasSuffix("…"))
        #expect(redacted.hasPrefix(piece))
    }
}

/// What a client has printed.
private final class Printed: @unchecked Sendable {
    var text = ""
    func add(_ lines: [String]) { text += lines.joined(separator: "\n") + "\n" }
}
