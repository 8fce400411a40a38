import AtriumKit
import Testing

@testable import AtriumTranscripts

/// Placeholders in the expected lines of transcripts.
@MainActor
@Suite struct TranscriptPatternTests {
    private let now = Timestamp(rfc3339: "2026-05-28T20:26:40Z")!

    @Test(
        "A placeholder matches the text that it describes",
        arguments: [
            ("Lamp", "Lamp"), ("a 12 b", "a <*> b"), ("a  b", "a <*> b"), ("1, 2, 3", "<*>, 2, <*>"),
            ("a, 1, 2, b, 3", "a<*>2<*>3"), ("x", "<*>"), ("", "<*>"),
            ("Created 2026-05-28 20:26 UTC.", "Created <now>."),
            (#"{"time":"2026-05-28T20:20:00Z","n":7}"#, #"{"time":"<now>","n":<*>}"#),
            ("until 2026-06-27 20:26 UTC", "until <now+30d>"), ("literal <now>", "literal <now>"),
            ("2026-05-28 20:26 UTC and 2026-05-29 20:26 UTC", "<now> and <now+1d>"),
            ("at 2026-05-28 20:26 UTC, 2026-05-28 20:00 UTC", "<*> <now>"),
        ])
    func fits(printed: String, expected: String) {
        #expect(TranscriptPattern(expected).fits(printed, now: now))
    }

    @Test(
        "A time is compared with a fixed text or with the time of the run",
        arguments: [
            ("Created 2026-05-28 20:26 UTC", "Created 2026-05-28 20:27 UTC"),
            ("Created 2026-05-28 18:26 UTC", "Created <now>"),
            ("Created 2026-05-28 22:26 UTC", "Created <now>"),
            ("Created 2026-28-05 20:26 UTC", "Created <now>"), ("Created 28.5.2026", "Created <now>"),
            ("until 2026-05-28 20:26 UTC", "until <now+30d>"), ("a b", "a <*> b"), ("a 1 b c", "a <*> b"),
            ("a 1", "<now+x>"), ("ab", "a<*>b<*>c"),
        ])
    func differs(printed: String, expected: String) {
        #expect(!TranscriptPattern(expected).fits(printed, now: now))
    }

    @Test(
        "A time of the run becomes a placeholder, and no other time",
        arguments: [
            ("Created 2026-05-28 20:26 UTC.", "Created <now>."),
            (#"{"at":"2026-05-28T20:26:40Z"}"#, #"{"at":"<now>"}"#),
            ("until 2026-06-27 20:26 UTC, in 30 days", "until <now+30d>, in 30 days"),
            ("Created 2026-01-01 09:00 UTC", "Created 2026-01-01 09:00 UTC"),
            ("Created 2026-05-28 19:26 UTC", "Created 2026-05-28 19:26 UTC"), ("żółć 1", "żółć 1"),
        ])
    func marking(printed: String, marked: String) {
        #expect(PrintedMoment.marking(printed, since: now.adding(seconds: -90), now: now) == marked)
    }

    @Test(
        "A path stands for itself on two lines of a table too",
        arguments: [
            ("Library  /my own/house/libA.so", "Library  $BUILD/libA.so"),
            (
                "Library  /my\n         own/house/libA.so\nTrust    yes",
                "Library  $BUILD/libA.so\nTrust    yes"
            ),
            ("Library  /my\nown/house", "Library  /my\nown/house"), ("/my other/house", "/my other/house"),
        ])
    func paths(printed: String, expected: String) {
        #expect(TranscriptFolder.replacing("/my own/house", with: "$BUILD", in: printed) == expected)
    }
}
