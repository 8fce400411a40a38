@_spi(Host) import AtriumKit
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "A moment is described in UTC, to the second below it",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (999_999, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
            (-1_000_000, "1969-12-31T23:59:59Z"), (-1_000_001, "1969-12-31T23:59:58Z"),
            (1_767_225_600_000_000, "2026-01-01T00:00:00Z"), (951_782_400_000_000, "2000-02-29T00:00:00Z"),
        ])
    func description(_ microseconds: Int64, _ text: String) {
        #expect(Timestamp(microseconds: microseconds).description == text)
    }

    @Test("People read a minute, programs a second")
    func display() {
        let moment = Timestamp(microseconds: 1_767_225_661_000_000)

        #expect(moment.displayText == "2026-01-01 00:01 UTC")
        #expect(moment.json == "2026-01-01T00:01:01Z")
    }

    @Test("The earliest and the latest moment can be described too", arguments: [Int64.min, .max])
    func extremes(_ microseconds: Int64) {
        #expect(Timestamp(microseconds: microseconds).description.hasSuffix("Z"))
    }

    @Test("Moments are ordered, and seconds can be added")
    func arithmetic() {
        let moment = Timestamp(microseconds: 5)

        #expect(moment.adding(seconds: 2) == Timestamp(microseconds: 2_000_005))
        #expect(moment.adding(seconds: -1) < moment)
    }

    @Test("A moment is kept as a whole number")
    func coding() throws {
        let moment = Timestamp(microseconds: -42)

        let text = try StateCoding.encode([moment])

        #expect(text == "[-42]")
        #expect(try StateCoding.decode([Timestamp].self, from: text) == [moment])
        #expect(Timestamp(databaseValue: moment.databaseValue) == moment)
        #expect(Timestamp(databaseValue: .text("-42")) == nil)
    }
}
