import Foundation
import Testing

/// Placeholders in the expected lines of transcripts.
@Suite struct TranscriptFormatTests {
    private let now = Date(timeIntervalSince1970: 1_780_000_000)  // 2026-05-28 20:26:40 UTC

    @Test(
        "A placeholder matches the text that it describes",
        arguments: [
            ("Lamp", "Lamp"), ("a 12 b", "a <*> b"), ("a  b", "a <*> b"), ("1, 2, 3", "<*>, 2, <*>"),
            ("Created 2026-05-28 20:26 UTC.", "Created <now>."),
            (#"{"time":"2026-05-28T20:20:00Z","n":7}"#, #"{"time":"<now>","n":<*>}"#),
            ("until 2026-06-27 20:26 UTC", "until <now+30d>"), ("literal <now>", "literal <now>"),
        ])
    func fits(printed: String, expected: String) {
        #expect(Transcript.fits(printed, expected, now: now))
    }

    @Test(
        "A time is compared with a fixed text or with the time of the run",
        arguments: [
            ("Created 2026-05-28 20:26 UTC", "Created 2026-05-28 20:27 UTC"),
            ("Created 2026-05-28 18:26 UTC", "Created <now>"),
            ("Created 2026-05-28 22:26 UTC", "Created <now>"),
            ("Created 2026-28-05 20:26 UTC", "Created <now>"), ("Created 28.5.2026", "Created <now>"),
            ("until 2026-05-28 20:26 UTC", "until <now+30d>"), ("a b", "a <*> b"), ("a 1 b c", "a <*> b"),
        ])
    func differs(printed: String, expected: String) {
        #expect(!Transcript.fits(printed, expected, now: now))
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
        #expect(Transcript.replacing("/my own/house", with: "$BUILD", in: printed) == expected)
    }
}
