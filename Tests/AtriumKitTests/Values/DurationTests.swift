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

    @Test(
        "Seconds are parsed and shown without loss",
        arguments: [
            ("0", Duration.zero, "0"), ("1.005", .milliseconds(1_005), "1.005"),
            ("1.50", .milliseconds(1_500), "1.5"),
            ("-0.25", .milliseconds(-250), "-0.25"), ("5e-3", .milliseconds(5), "0.005"),
            ("3600", .seconds(3_600), "3600"), (".1", .milliseconds(100), "0.1"),
            ("0.000000000000000001", Duration(attoseconds: 1), "0.000000000000000001"),
            ("1e-19", Duration(attoseconds: 1), "0.000000000000000001"),
        ])
    func seconds(_ text: String, _ duration: Duration, _ shown: String) {
        #expect(Duration(seconds: text) == duration)
        #expect(duration.secondsText == shown)
    }

    @Test(
        "Other text is not a number of seconds",
        arguments: [
            "", "-", ".", "1s", "1e", "1e1e1", "1.2.3", "0x10", "nan", "inf", "1e٣", "١",
        ])
    func noSeconds(_ text: String) {
        #expect(Duration(seconds: text) == nil)
    }

    @Test(
        "A number stays on its side of a bound, however close or far",
        arguments: [
            ("0.00099999999999999999999", Duration.milliseconds(1), true), ("-1e-30", .zero, true),
            ("1e-99999999999999999999", .zero, false), ("3600.00000000000000000001", .seconds(3_600), false),
            ("1e400", .seconds(3_600), false), ("-1e99999999999999999999", .zero, true),
        ])
    func bounds(_ text: String, _ bound: Duration, _ isBelow: Bool) throws {
        let duration = try #require(Duration(seconds: text))
        #expect(isBelow ? duration < bound : duration > bound)
    }

    @Test("Whole units are rounded toward zero, and bounded")
    func whole() {
        #expect(Duration.nanoseconds(1_999).wholeMicroseconds == 1)
        #expect(Duration.microseconds(-1_999).wholeMilliseconds == -1)
        #expect(Duration(secondsComponent: .max, attosecondsComponent: 0).wholeMicroseconds == .max)
        #expect(Duration(secondsComponent: .min, attosecondsComponent: 0).wholeMicroseconds == .min)
    }
}
