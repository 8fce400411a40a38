@_spi(Host) import AtriumKit
import Testing

@Suite("Durations in words")
struct DurationTests {
    @Test(
        "Decimals are rounded to nearest, at every bound",
        arguments: [
            (Duration.zero, 2, "0.00"), (.nanoseconds(4_999), 2, "0.00"), (.microseconds(5), 2, "0.01"),
            (.microseconds(1_250), 1, "1.3"), (.microseconds(999_960), 1, "1000.0"),
            (.seconds(-3), 3, "0.000"),
            (Duration(secondsComponent: .max, attosecondsComponent: 0), 1, "9223372036854775807000.0"),
            (Duration(secondsComponent: .min, attosecondsComponent: 0), 1, "0.0"),
        ])
    func decimal(_ duration: Duration, _ digits: Int, _ text: String) {
        #expect(duration.decimal(in: .milliseconds(1), digits: digits) == text)
    }

    @Test("Whole units are rounded toward zero, and bounded")
    func whole() {
        #expect(Duration.nanoseconds(1_999).wholeMicroseconds == 1)
        #expect(Duration.microseconds(-1_999).wholeMilliseconds == -1)
        #expect(Duration(secondsComponent: .max, attosecondsComponent: 0).wholeMicroseconds == .max)
        #expect(Duration(secondsComponent: .min, attosecondsComponent: 0).wholeMicroseconds == .min)
    }
}
