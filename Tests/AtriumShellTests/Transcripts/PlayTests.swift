import AtriumKit
import Foundation
import FoundationXML
import Testing

@testable import AtriumPrompt
@testable import AtriumText
@testable import AtriumTranscripts

/// Recordings of plays: their times, the cast and the picture.
@Suite struct PlayTests {
    /// A recording of lines typed at a prompt, each with output.
    private func recording(
        _ lines: [(typed: String, output: [String])], size: TerminalSize = TerminalSize(columns: 80, rows: 24)
    ) -> PlayRecording {
        var recording = PlayRecording(title: "a <demo>", size: size)
        let pace = PlayPace(speed: 1)
        for (number, line) in lines.enumerated() {
            recording.prompt("\u{1B}[34m$ \u{1B}[0m")
            recording.wait(pace.beforeLine)
            for (character, time) in zip(line.typed, pace.keys(of: line.typed, number: number)) {
                recording.type(character)
                recording.wait(time)
            }
            recording.wait(pace.beforeEnter)
            recording.enter()
            line.output.forEach { recording.print($0) }
            recording.wait(pace.reading(line.output.count))
        }
        return recording
    }

    @Test("The same line has the same pace each time; a long one ends in four seconds, a faster one sooner")
    func pace() {
        let (line, long) = ("entities create --name Lamp", String(repeating: "word ", count: 100))
        let pace = PlayPace(speed: 1)

        let keys = pace.keys(of: line, number: 7)

        #expect(keys == pace.keys(of: line, number: 7))
        #expect(keys != pace.keys(of: line, number: 8))
        #expect(keys.allSatisfy { (.milliseconds(45)...(.milliseconds(170))).contains($0) })
        #expect(pace.keys(of: long, number: 1).reduce(.zero, +) < .milliseconds(4_300))
        #expect(PlayPace(speed: 2).beforeLine * 2 == pace.beforeLine)
        #expect(pace.reading(1_000) == .seconds(3))
    }

    @Test("A cast has a header and an event a line, by the pace and not by the clock")
    func cast() throws {
        let lines = [("ls", ["a\t\"b\"", "\u{1B}[32mok\u{1B}[0m"])]

        let cast = recording(lines).cast.split(separator: "\n").map(String.init)

        #expect(recording(lines).cast.split(separator: "\n").map(String.init) == cast)
        #expect(
            cast[0]
                == #"{"version":2,"width":80,"height":24,"title":"a <demo>","env":{"TERM":"xterm-256color"}}"#
        )
        let events = try cast.dropFirst().map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any])
        }
        let text = events.compactMap { $0[2] as? String }.joined()
        let times = events.compactMap { $0[0] as? Double }
        #expect(
            text
                == "\u{1B}[34m$ \u{1B}[0m\u{1B}[1mls\u{1B}[0m\r\na\t\"b\"\r\n\u{1B}[32mok\u{1B}[0m\r\n")
        #expect(times.count == events.count && times == times.sorted())
        #expect(times[2] == 0.7)
    }

    @Test("A picture is well-formed, the same twice, and bounded by its time, whatever is printed")
    func picture() throws {
        let output = (1...10_000).map { "\u{1B}[1mline\u{1B}[0m <\($0)> & 漢字 \u{1}" }
        let lines = [("one", output), (String(repeating: "wide ", count: 40), output), ("end", ["the end"])]

        let svg = PlayPicture(recording(lines)).svg

        #expect(svg == PlayPicture(recording(lines)).svg)
        #expect(XMLParser(data: Data(svg.utf8)).parse())
        #expect(svg.utf8.count < 60_000, "\(svg.utf8.count)")
        #expect(svg.contains(">the end</text>") && svg.contains("&lt;10000&gt; &amp; 漢字"))
        #expect(!svg.contains("&lt;5000&gt;") && !svg.contains("<script"))
        #expect(svg.contains("prefers-reduced-motion"))
        // The still shows the last screen.
        #expect(svg.contains("<g class=\"s\" transform=\"translate(0 -"))
    }

    @Test("A short play's picture has as many rows as lines")
    func shortPicture() {
        #expect(PlayPicture(recording([("a", ["b"])])).svg.contains("height=\"70\""))
    }

    @Test("Styles of a line are runs; rows have the width of a terminal")
    func styles() {
        let line = StyledLine("\u{1B}[2;4mName\u{1B}[0m\t\u{1B}[2Kx\u{7}")

        #expect(line.runs.map(\.classes) == ["f u", ""])
        #expect(line.plain == "Name    x")
        #expect(line.html == "<span class=\"f u\">Name</span>    x")
        #expect(StyledLine("漢字ab").rows(width: 5).map(\.plain) == ["漢字a", "b"])
        #expect(StyledLine("").rows(width: 5).map(\.plain) == [""])
    }

    @Test("Times of the run have one fixed value in a recording")
    func times() throws {
        let now = try #require(Timestamp(rfc3339: "2026-05-28T20:26:40Z"))

        let line = PrintedMoment.fixing(
            #"2026-05-28 20:26 UTC, {"at":"2026-06-27T20:26:10Z"}, 2020-01-01 00:00 UTC"#,
            since: now.adding(seconds: -90), now: now)

        #expect(line == #"2026-01-01 09:00 UTC, {"at":"2026-01-31T09:00:00Z"}, 2020-01-01 00:00 UTC"#)
    }

    @Test("'--from' and '--html' mean what their mode needs, wherever they stand")
    func options() throws {
        let play = try Options([
            "play", "--from", "3", "--html", "a.html", "--speed=2.5", "--auto", "a.transcript",
        ])
        let copy = try Options(["database", "copy", "--to", "postgresql://h/d", "--from", "sqlite:data"])

        #expect(play.mode == .play("a.transcript") && play.firstLine == 3 && play.speed == 2.5)
        #expect(play.isAutomatic && play.htmlFile == "a.html")
        #expect(try Options(["--from", "4", "play", "x"]).firstLine == 4)
        #expect(copy.dataFolder == "data" && copy.firstLine == nil)
        #expect(try Options(["stories", "--html", "s.html"]).htmlFile == "s.html")
        for words in [
            ["play", "x", "--from", "0"], ["play", "x", "--speed", "0"], ["play", "x", "--speed", "nan"],
            ["stories"], ["--html", "x"], ["play"], ["play", "x", "--json"], ["play", "x", "--data", "d"],
        ] {
            let error = #expect(throws: ShellError.self) { try Options(words) }
            #expect(error?.category == .usage, "\(words)")
        }
    }
}
