@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@Suite("Timestamps in RFC 3339 format")
struct RFC3339Tests {
    @Test(
        "A valid timestamp is read",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000001Z", 1),
            ("2026-11-22T02:50:20.123456Z", 1_795_315_820_123_456),
            ("2026-11-22t02:50:20.1z", 1_795_315_820_100_000),
            ("2026-11-22T03:50:20+01:00", 1_795_315_820_000_000),
            ("2026-11-21T22:20:20.5-04:30", 1_795_315_820_500_000),
            ("1969-12-31T23:59:59.5Z", -500_000), ("2024-02-29T00:00:00Z", 1_709_164_800_000_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
            ("2026-11-22T02:50:20.1234567899Z", 1_795_315_820_123_456),
        ])
    func read(_ text: String, _ microseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(
        "An invalid timestamp is not read",
        arguments: [
            "", "2026-11-22", "2026-11-22T02:50:20", "2026-11-22 02:50:20Z", "2026-13-01T00:00:00Z",
            "2025-02-29T00:00:00Z", "2026-11-31T00:00:00Z", "2026-11-22T24:00:00Z", "2026-11-22T02:60:00Z",
            "2026-11-22T02:50:61Z", "2026-11-22T02:50:20.Z", "2026-11-22T02:50:20Zx",
            "2026-11-22T02:50:20+1:00",
            "２026-11-22T02:50:20Z", "+026-11-22T02:50:20Z",
        ])
    func refused(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(
        "A written timestamp is read back unchanged",
        arguments: [0, 1, -1, 999_999, -999_999, 1_795_315_820_123_456, -62_135_596_800_000_000])
    func roundTrip(_ microseconds: Int64) {
        let moment = Timestamp(microseconds: microseconds)

        #expect(Timestamp(rfc3339: moment.rfc3339) == moment)
    }

    @Test("A timestamp is written with microseconds")
    func written() {
        #expect(Timestamp(microseconds: 1_795_315_820_000_042).rfc3339 == "2026-11-22T02:50:20.000042Z")
    }
}

@Suite("Timestamps that were stored")
struct StoredTimestampTests {
    @Test(
        "Moments are read if the difference of any two fits 64 bits",
        arguments: [0, (1 << 62) - 1, 1 - (1 << 62)])
    func read(_ microseconds: Int64) throws {
        #expect(try decode(microseconds).microseconds == microseconds)
        #expect(Timestamp(databaseValue: .integer(microseconds))?.microseconds == microseconds)
    }

    @Test("Others are damage", arguments: [Int64.min, -(1 << 62), 1 << 62, Int64.max])
    func refused(_ microseconds: Int64) {
        #expect(throws: DecodingError.self) { try decode(microseconds) }
        #expect(Timestamp(databaseValue: .integer(microseconds)) == nil)
    }

    @Test("A text of a server is read, and another one is an error")
    func text() throws {
        let moment = try StateCoding.decode([Timestamp].self, from: #"["2026-11-22T03:50:20.5+01:00"]"#)[0]

        #expect(moment.rfc3339 == "2026-11-22T02:50:20.500000Z")
        for wrong in ["yesterday", "", "1795315820"] {
            #expect(throws: DecodingError.self) {
                try StateCoding.decode([Timestamp].self, from: "[\"\(wrong)\"]")
            }
        }
    }

    @Test("A server gets a text, and a file the microseconds")
    func written() async throws {
        let api = ScriptedAPIClient()
        api.answer("POST v1/moments", "")
        let moments = ["at": Timestamp(microseconds: 1_795_315_820_000_042)]
        _ = try await api.request(Endpoint<NoAnswer>(.post, "v1/moments", body: .json(moments)))

        #expect(api.calls.map(\.body) == [#"{"at":"2026-11-22T02:50:20.000042Z"}"#])
        #expect(try StateCoding.encode(moments) == #"{"at":1795315820000042}"#)
    }

    private func decode(_ microseconds: Int64) throws -> Timestamp {
        try StateCoding.decode([Timestamp].self, from: "[\(microseconds)]")[0]
    }
}
