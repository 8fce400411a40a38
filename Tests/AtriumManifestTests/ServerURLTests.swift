import Testing

@testable import AtriumManifest

@Suite("The URL of a server")
struct ServerURLTests {
    @Test(
        "A server URL has scheme http or https, a host, and optionally a port and a path",
        arguments: [
            ("http://127.0.0.1:8787", "http://127.0.0.1:8787", ""),
            ("https://example.com/", "https://example.com", ""),
            ("HTTP://[::1]:80/v2//", "http://[::1]:80", "/v2"), ("http://localhost", "http://localhost", ""),
            ("http://API.Example.com/Api/%7Eada", "http://api.example.com", "/Api/%7Eada"),
            ("http://my_service:1", "http://my_service:1", ""),
            ("http://a-1.b:65535", "http://a-1.b:65535", ""),
            ("http://[fe80::1:2]", "http://[fe80::1:2]", ""),
            ("http://[::ffff:10.0.0.1]", "http://[::ffff:10.0.0.1]", ""),
            ("http://[1:2:3:4:5:6:7:8]", "http://[1:2:3:4:5:6:7:8]", ""),
        ])
    func good(url: String, origin: String, path: String) throws {
        let server = try ServerURL(url)

        #expect(server.origin == origin)
        #expect(server.path == path)
        #expect("\(server)" == origin + path)
    }

    private static let reasons: [(reason: String, urls: [String])] = [
        ("it does not begin with http:// or https://", ["", "example.com", "ftp://a", "http:/a", "//a"]),
        (
            "its host is neither a name nor an address",
            [
                "http://", "http:///x", "http://a b", "http://ä", "http://a\n", "http://%31", "http://[::1",
                "http://[]", "http://[::1]x", "http://[zz]", "http://[1:2]", "http://[1::2::3]",
                "http://[12345::]", "http://[1:2:3:4:5:6:7:8:9]", "http://-", "http://a-", "http://a..b",
                "http://999.1.1.1", "http://1.2.3", "http://8787", "http://:80",
                "http://" + String(repeating: "a", count: 64),
            ]
        ),
        (
            "its port is not a number from 1 to 65535",
            ["http://a:", "http://a:0", "http://a:70000", "http://a:+1", "http://a:b:c", "http://[::1]:x"]
        ),
        ("it has a query or a fragment", ["http://a?x", "http://a/b#x", "http://a/?"]),
        (
            "its path has a character that belongs there only as % and two digits",
            ["http://a/b c", "http://a/ä", "http://a/%2", "http://a/%zz", "http://a/[b]", "http://a/\\b"]
        ),
    ]

    @Test("The error about an invalid URL has the reason", arguments: reasons)
    func bad(reason: String, urls: [String]) {
        for url in urls {
            let error = #expect(throws: ServerURLError.self, "\(url)") { try ServerURL(url) }

            #expect(error?.reason == reason, "\(url)")
        }
    }

    @Test(
        "The error about an invalid URL hides its name, password, query and fragment",
        arguments: [
            ("http://ada:hunter2@host:1/a", "http://…@host:1/a"), ("http://hunter2@host", "http://…@host"),
            ("http://ada:hunter2/@host", "http://…@host"), ("http://ada:hunter2?@host", "http://…@host"),
            ("ada:hunter2@host", "…@host"), ("ftp://ada:hunter2@host", "ftp://…@host"),
            ("http://a?token=hunter2", "http://a?…"), ("http://a/#hunter2", "http://a/#…"),
            ("http://ada:@hunter2@host?x", "http://…@host?…"),
        ])
    func secret(url: String, shown: String) {
        let error = #expect(throws: ServerURLError.self) { try ServerURL(url) }

        #expect(error?.url == shown)
        #expect(error.map { "\($0)".contains("hunter2") } == false)
    }
}
