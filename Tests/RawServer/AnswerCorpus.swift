import Testing

/// Answers that servers, proxies and attackers send, and what becomes of each.
///
/// The connection is closed behind each.
package enum AnswerCorpus {
    package struct Answer: Sendable, CustomTestStringConvertible {
        package let name: String
        package let bytes: [UInt8]
        /// `200 text` for a response, else the code of the error.
        package let outcome: String

        package var testDescription: String { name }
    }

    private static let json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let two = "Content-Length: 2\r\n\r\nok"

    private static func answer(_ name: String, _ text: String, _ outcome: String) -> Answer {
        Answer(name: name, bytes: Array(text.utf8), outcome: outcome)
    }

    package static let all =
        statusLines + lengths + chunks + fields + interim + challenges + redirects + encodings

    // MARK: - The head

    static let statusLines = [
        answer("nothing", "", "connectionLost"),
        answer("only line ends", "\r\n\r\n", "invalidResponse"),
        answer("no HTTP", "nonsense\r\n\r\n", "invalidResponse"),
        answer("another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "invalidResponse"),
        answer("TLS alert", "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}P", "invalidResponse"),
        answer("no status", "HTTP/1.1\r\n\r\n", "invalidResponse"),
        answer("status in letters", "HTTP/1.1 abc\r\n\r\n", "invalidResponse"),
        answer("status too low", "HTTP/1.1 99 Low\r\n\r\n", "invalidResponse"),
        answer("status of two digits", "HTTP/1.1 20 OK\r\n\r\n", "invalidResponse"),
        answer("status too high", "HTTP/1.1 1000 High\r\n\r\n", "invalidResponse"),
        answer("status 600", "HTTP/1.1 600 Odd\r\n\r\n", "invalidResponse"),
        answer("status 999", "HTTP/1.1 999 Odd\r\n\r\n", "invalidResponse"),
        answer("negative status", "HTTP/1.1 -20 OK\r\n\r\n", "invalidResponse"),
        answer("status and a letter", "HTTP/1.1 200x OK\r\n\r\n", "invalidResponse"),
        answer("unknown version", "HTTP/9.9 200 OK\r\n\r\n", "invalidResponse"),
        answer("lower case", "http/1.1 200 OK\r\n\(two)", "invalidResponse"),
        answer("no reason", "HTTP/1.1 200\r\n\(two)", "200 ok"),
        answer("old version", "HTTP/1.0 200 OK\r\n\r\nok", "200 ok"),
        answer("line feeds only", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "200 ok"),
        answer("reason in Latin-1", "", "200 ok").with {
            $0 = Array("HTTP/1.1 200 ".utf8) + [0xE9] + Array("\r\n\(two)".utf8)
        },
        answer("status line cut off", "HTTP/1.1 20", "connectionLost"),
        answer("head cut off in a name", ok + "Content-Le", "connectionLost"),
        answer("head cut off behind a line", json, "connectionLost"),
        answer("head cut off before the last line feed", ok + "Content-Length: 0\r\n\r", "connectionLost"),
    ]

    static let lengths = [
        answer("length -1", ok + "Content-Length: -1\r\n\r\nok", "invalidResponse"),
        answer("length in letters", ok + "Content-Length: x\r\n\r\nok", "invalidResponse"),
        answer("length and a letter", ok + "Content-Length: 2x\r\n\r\nok", "invalidResponse"),
        answer("length with a sign", ok + "Content-Length: +2\r\n\r\nok", "invalidResponse"),
        answer("length in hexadecimal", ok + "Content-Length: 0x2\r\n\r\nok", "invalidResponse"),
        answer("length with a point", ok + "Content-Length: 2.0\r\n\r\nok", "invalidResponse"),
        answer("empty length", ok + "Content-Length: \r\n\r\nok", "invalidResponse"),
        answer(
            "length beyond 64 bits", ok + "Content-Length: 99999999999999999999\r\n\r\n", "invalidResponse"),
        answer("largest length", ok + "Content-Length: 9223372036854775807\r\n\r\n", "answerTooLarge"),
        answer("large length", ok + "Content-Length: 9223372036854774784\r\n\r\n", "answerTooLarge"),
        answer("two lengths", ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nok", "invalidResponse"),
        answer("two lengths in one line", ok + "Content-Length: 2, 3\r\n\r\nok", "invalidResponse"),
        answer("the same length twice", ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok", "200 ok"),
        answer("the same length twice in one line", ok + "Content-Length: 2, 2\r\n\r\nok", "200 ok"),
        answer("length with zeros", ok + "Content-Length: 002\r\n\r\nok", "200 ok"),
        answer("body too short", ok + "Content-Length: 500\r\n\r\nhalf", "connectionLost"),
        answer("no body", ok + "Content-Length: 1\r\n\r\n", "connectionLost"),
        answer("body too long", ok + "Content-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n", "200 ok"),
        answer("body until the end", ok + "\r\nok", "200 ok"),
        answer("204 with a body", "HTTP/1.1 204 No Content\r\n\(two)", "204 "),
        answer("304 with a body", "HTTP/1.1 304 Not Modified\r\n\(two)", "304 "),
        answer("length on a second line", ok + "Content-Length:\r\n 2\r\n\r\nok", "invalidResponse"),
        answer(
            "length with chunks",
            ok + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "invalidResponse"),
    ]

    static let chunks = [
        answer("chunks", chunked("2\r\nok\r\n0\r\n\r\n"), "200 ok"),
        answer("a trailer", chunked("2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"), "200 ok"),
        answer("a trailer that is a length", chunked("2\r\nok\r\n0\r\nContent-Length: 9\r\n\r\n"), "200 ok"),
        answer("a chunk with an extension", chunked("2;name=value\r\nok\r\n0\r\n\r\n"), "200 ok"),
        answer("a size with zeros", chunked("00002\r\nok\r\n0\r\n\r\n"), "200 ok"),
        answer("a size in letters", chunked("zz\r\nok"), "invalidResponse"),
        answer("a negative size", chunked("-2\r\nok\r\n0\r\n\r\n"), "invalidResponse"),
        answer("an empty size", chunked("\r\nok\r\n0\r\n\r\n"), "invalidResponse"),
        answer("a size beyond 64 bits", chunked("ffffffffffffffffff\r\nok"), "invalidResponse"),
        answer("the largest size", chunked("7fffffffffffffff\r\nok"), "connectionLost"),
        answer("no line end behind a chunk", chunked("2\r\nokok0\r\n\r\n"), "invalidResponse"),
        answer("no last chunk", chunked("2\r\nok\r\n"), "connectionLost"),
        answer("a chunk cut off", chunked("20\r\nok"), "connectionLost"),
        answer("a trailer cut off", chunked("2\r\nok\r\n0\r\nX-S"), "connectionLost"),
        answer(
            "chunks twice", ok + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "invalidResponse"),
        answer(
            "chunks in two lines", ok + "Transfer-Encoding: chunked\r\n" + chunkedField, "invalidResponse"),
        answer("unknown transfer", ok + "Transfer-Encoding: x\r\n\r\nok", "invalidResponse"),
        answer(
            "compressed transfer", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "invalidResponse"
        ),
    ]

    private static let chunkedField = "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"

    private static func chunked(_ body: String) -> String {
        ok + "Transfer-Encoding: chunked\r\n\r\n" + body
    }

    static let fields = [
        answer("no space behind the colon", "HTTP/1.1 200 OK\r\nContent-Length:2\r\n\r\nok", "200 ok"),
        answer("spaces around a value", "HTTP/1.1 200 OK\r\nContent-Length: \t 2 \t\r\n\r\nok", "200 ok"),
        answer("a value in Latin-1", "", "200 ok").with {
            $0 = Array("\(ok)X-Name: caf".utf8) + [0xE9] + Array("\r\n\(two)".utf8)
        },
        answer("emoji", ok + "X: \u{1F600}\r\n\(two)", "200 ok"),
        answer("an empty value", ok + "X:\r\n\(two)", "200 ok"),
        answer("a value on two lines", ok + "X: a\r\n b\r\n\(two)", "200 ok"),
        answer("a control character", ok + "X: a\u{1B}[2Jb\r\n\(two)", "200 ok"),
        answer("NUL in a value", ok + "X: a\u{0}b\r\n\(two)", "invalidResponse"),
        answer("a line without a colon", ok + "No colon\r\n\(two)", "invalidResponse"),
        answer("a line without a name", ok + ": empty\r\n\(two)", "invalidResponse"),
        answer("a space before the colon", ok + "Content-Length : 2\r\n\r\nok", "invalidResponse"),
        answer("a space first", ok + " X: y\r\n\(two)", "invalidResponse"),
        answer("a name in Latin-1", "", "invalidResponse").with {
            $0 = Array("\(ok)caf".utf8) + [0xE9] + Array(": x\r\n\(two)".utf8)
        },
        answer(
            "3,000 fields",
            ok + String(repeating: "X-Name: \(String(repeating: "a", count: 200))\r\n", count: 3_000) + two,
            "invalidResponse"),
        answer(
            "a field of 300 KB", ok + "X: \(String(repeating: "a", count: 300_000))\r\n\(two)",
            "invalidResponse"),
    ]

    static let interim = [
        answer("100", "HTTP/1.1 100 Continue\r\n\r\n" + ok + two, "200 ok"),
        answer("103", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + ok + two, "200 ok"),
        answer(
            "103 with a length", "HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\n" + ok + two, "200 ok"),
        answer(
            "50 times 103", String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 50) + ok + two,
            "200 ok"),
        answer("103 and nothing", "HTTP/1.1 103 Early Hints\r\n\r\n", "connectionLost"),
        answer("103 before 204", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", "204 "),
        answer("101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc", "invalidResponse"),
        answer(
            "101 to HTTP/2", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\nabc", "invalidResponse"),
    ]

    // MARK: - Meaning

    static let challenges =
        [
            #"Basic realm="x""#, "Basic", #"Digest realm=x, nonce="y""#, "Bearer realm=", "", "Negotiate",
            "NTLM",
        ].map {
            answer("401 \($0)", "HTTP/1.1 401 No\r\nWWW-Authenticate: \($0)\r\n\(two)", "401 ok")
        } + [
            answer("407", "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\(two)", "407 ok")
        ]

    static let redirects = [
        "//", "http://[::", "//a b:99999/%zz?%", "////", "", "mailto:a@b", "file:///etc/passwd",
        "ftp://127.0.0.1/x", "http:///x", "javascript:1", "http://a:99999/",
    ].map {
        answer("302 to '\($0)'", "HTTP/1.1 302 Found\r\nLocation: \($0)\r\n\(two)", "302 ok")
    }

    static let encodings = [
        answer(
            "gzip that is none", ok + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd",
            "invalidResponse"),
        answer("unknown encoding", ok + "Content-Encoding: x\r\n\(two)", "invalidResponse"),
        answer("identity", ok + "Content-Encoding: identity\r\n\(two)", "200 ok"),
        compressed("gzip", gzip, "200 hello hello hello"),
        // libcurl does not notice; what was JSON is none any more.
        compressed("gzip cut off", Array(gzip.dropLast(12)), "200 hello"),
        compressed(
            "gzip with a wrong sum", gzip.dropLast(8) + [0, 0, 0, 0, 0x11, 0, 0, 0], "invalidResponse"),
        compressed("gzip and more", gzip + [1, 2, 3], "invalidResponse"),
    ]

    private static func compressed(_ name: String, _ body: [UInt8], _ outcome: String) -> Answer {
        let head = "\(ok)Content-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        return Answer(name: name, bytes: Array(head.utf8) + body, outcome: outcome)
    }

    /// The text "hello hello hello".
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8,
        0x40, 0x90, 0x00, 0x80, 0x88, 0xF9, 0xE5, 0x11, 0x00, 0x00, 0x00,
    ]
}

extension AnswerCorpus.Answer {
    fileprivate func with(_ change: (inout [UInt8]) -> Void) -> AnswerCorpus.Answer {
        var bytes = bytes
        change(&bytes)
        return AnswerCorpus.Answer(name: name, bytes: bytes, outcome: outcome)
    }
}
