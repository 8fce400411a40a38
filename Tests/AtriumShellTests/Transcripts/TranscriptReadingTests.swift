import AtriumKit
import AtriumManifest
import Testing

@testable import AtriumText
@testable import AtriumTranscripts

/// The form of transcripts: marks, escapes, and what is malformed.
@Suite struct TranscriptReadingTests {
    @Test(
        "A mark is told from output by the beginning of its line",
        arguments: [
            ("$ ls", TranscriptMark.shell("ls")), ("> ls", .continuation("ls")), (">", .continuation("")),
            ("# A story", .prose),
            ("main> open entities", .scene("main", "open entities")), ("main>", .scene("main", "")),
            ("a.b-2> x > y", .scene("a.b-2", "x > y")), ("secret> a b", .secret("a b")), ("[3]", .status(3)),
        ])
    func marks(line: String, mark: TranscriptMark) {
        #expect(TranscriptMark(line) == mark)
    }

    @Test(
        "Other lines are output",
        arguments: [
            "Lamp", "", "$5", "#", "local guest home> open", "atrium> open", "<p>", "-x> y", "main>open",
            "[]",
            "[1, 2]", "\\$ ls",
        ])
    func output(line: String) {
        #expect(TranscriptMark(line) == nil)
    }

    @Test(
        "Output that looks like a mark stands behind a backslash, and is read as it was",
        arguments: [
            ("$ ls", "\\$ ls"), ("main> x", "\\main> x"), ("# x", "\\# x"), ("[1]", "\\[1]"),
            ("> x", "\\> x"),
            ("\\$ ls", "\\\\$ ls"), ("\\n", "\\n"), ("atrium> x", "atrium> x"), ("secret>", "\\secret>"),
        ])
    func escapes(line: String, written: String) {
        #expect(TranscriptMark.escaped(line, isFirst: true, isLast: true) == written)
        #expect(TranscriptMark.unescaped(written) == line)
    }

    @Test("In the middle of output '> ' and '[N]' need no backslash")
    func middle() {
        for line in ["> x", "[1]"] {
            #expect(TranscriptMark.escaped(line, isFirst: false, isLast: false) == line)
        }
    }

    @Test("A step has its lines, its secrets, its output and the prose above it")
    func steps() throws {
        let text = """
            #!/usr/bin/env -S atrium test --env mock --timeout 5
            # Two prompts.

            main> session sign-in \\
            > --email ada@example.com
            secret> one
            secret> two
            Signed in.

            $ false
            [1]
            # The end.

            """

        let transcript = try Transcript(text, file: "a.transcript")
        let ofOtherSystems = try Transcript(text.replacing("\n", with: "\r\n"), file: "a.transcript")

        #expect(ofOtherSystems.text == text)
        #expect(transcript.head.options.flatMap(\.words) == ["--env", "mock", "--timeout", "5"])
        #expect(transcript.steps.map(\.number) == [4, 10])
        #expect(transcript.steps.map(\.target) == [.scene("main"), .shell])
        #expect(transcript.steps[0].prose == ["# Two prompts.", ""])
        #expect(transcript.steps[0].input == "session sign-in \\\n--email ada@example.com")
        #expect(transcript.steps[0].secrets == ["one", "two"])
        #expect(transcript.steps[0].expected == ["Signed in."])
        #expect(transcript.steps[0].below.count == 1)
        #expect(transcript.steps[1].expected == ["[1]"])
        #expect(transcript.text == text)
    }

    @Test("A head has what a transcript needs, in comments if it is Markdown")
    func head() throws {
        let lines = ["needs: Session, Catalog ^1", "seed: demo", "# A story.", "size: 100x30", "env: mock"]
        let text = lines.joined(separator: "\n") + "\n\n$ ls\nneeds: output\n"
        let comments = lines.map { $0.hasPrefix("#") ? $0 : "<!-- \($0) -->" }.joined(separator: "\n")

        for (text, file) in [(text, "a"), (comments + "\n```console\n$ ls\nneeds: output\n```\n", "a.md")] {
            let transcript = try Transcript(text, file: file)

            #expect(transcript.head.options.flatMap(\.words) == ["--size=100x30", "--env=mock"])
            #expect(transcript.head.options.map(\.line) == [4, 5])
            #expect(transcript.head.needs.map(\.need.module) == ["Session", "Catalog"])
            #expect(transcript.head.needs.map(\.need.range.description) == ["*", "^1"])
            #expect(transcript.head.seeds.map(\.name) == ["demo"])
            #expect(transcript.steps.map(\.expected) == [["needs: output"]])
            #expect(transcript.text == text)
        }
    }

    @Test("Of a Markdown page the blocks of language 'console' are typed, and all of it is kept")
    func markdown() throws {
        let text = """
            # Lamps

            <!-- setup: mkdir a -->
            Make a lamp:

            ```console
            $ ls a \\
            > b
            # no prose
            [1]

            local ada entities/1> where
            atrium> where
            sqlite> x
            ```

            <!-- not typed: slow -->
            ```console
            $ sleep 9
            ```
            ```sh
            $ make
            ```

            """

        let transcript = try Transcript(text, file: "README.md")

        #expect(transcript.text == text)
        #expect(transcript.steps.map(\.input) == ["mkdir a", "ls a \\\nb", "where", "where"])
        #expect(transcript.steps.map(\.isSetup) == [true, false, false, false])
        #expect(transcript.steps.map(\.notes) == [[], ["Make a lamp:"], [], []])
        #expect(transcript.steps[1].expected == ["# no prose", "[1]"])
        #expect(transcript.steps[3].expected == ["sqlite> x"])
        #expect(transcript.steps[3].target == .scene("main"))
    }

    @Test("In a Markdown page '…' is any text of a line, and any lines on one of its own")
    func ellipsis() {
        let expected = ExpectedOutput(["Lamp …", "…", "end"], isMarkdown: true)
        let now = Timestamp(microseconds: 0)

        for lines in ["Lamp 1\nend", "Lamp \na\nb\nend"] {
            #expect(expected.fits(PrintedOutput(lines, status: 1), now: now))
        }
        let other = PrintedOutput("Lamp 1\na\nEnd", status: 0)
        #expect(!expected.fits(other, now: now))
        #expect(expected.updated(by: other, since: now, now: now) == ["Lamp …", "…", "End"])
    }

    @Test(
        "Each '…' of a Markdown page keeps its place, and many cost no time",
        arguments: [
            (["a", "…", "b", "…", "c"], ["a", "1", "b", "2", "C"], ["a", "…", "b", "…", "C"]),
            (["a", "…", "b", "…"], ["a", "b", "b"], ["a", "…", "b", "…"]),
            (["…", "x", "y", "…", "c"], ["1", "x", "Y", "2", "C"], ["…", "x", "Y", "…", "C"]),
            (
                Array(repeating: "…", count: 40) + ["b"], Array(repeating: "a", count: 400),
                Array(repeating: "…", count: 40) + ["a"]
            ),
        ])
    func ellipses(page: [String], printed: [String], updated: [String]) {
        let now = Timestamp(microseconds: 0)
        let output = PrintedOutput(printed.joined(separator: "\n"), status: 0)

        #expect(
            ExpectedOutput(page, isMarkdown: true).updated(by: output, since: now, now: now) == updated)
    }

    @Test(
        "What is malformed is named with its line",
        arguments: [
            ("# A\nLamp\n", "Line 2 of 'a' is output of no line."),
            ("neds: Catalog\n$ ls\n", "Line 1 of 'a' has 'neds:', which is not a key of a head."),
            ("# A\nseed: x';ls'\n$ ls\n", "Line 2 of 'a' has a seed 'x';ls'', which is not a name."),
            ("seed: --force\n$ ls\n", "Line 1 of 'a' has a seed '--force', which is not a name."),
            ("seed: demo,\n$ ls\n", "Line 1 of 'a' has 'seed:' with an empty value."),
            ("needs: ,\n$ ls\n", "Line 1 of 'a' has 'needs:' with an empty value."),
            ("needs:\n$ ls\n", "Line 1 of 'a' has 'needs:' with an empty value."),
            ("# A\n", "'a' has no line to type."),
            (
                "$ ls\nsecret> x\n",
                "Line 2 of 'a' answers nothing: 'secret> ' stands right below a line of a scene."
            ),
            (
                "main> x\nLamp\nsecret> x\n",
                "Line 3 of 'a' answers nothing: 'secret> ' stands right below a line of a scene."
            ), ("> x\n", "Line 1 of 'a' is output of no line."), ("", "'a' has no line to type."),
        ])
    func malformed(text: String, message: String) {
        let error = #expect(throws: ShellError.self) { try Transcript(text, file: "a") }

        #expect(error?.message == message)
        #expect(error.map { ExitStatus($0) } == .usage)
        #expect(error?.hint != nil)
    }

    @Test("Output that fits stays as it is written; other output keeps placeholders that still fit")
    func updating() {
        let now = Timestamp(rfc3339: "2026-05-28T20:26:40Z")!
        let expected = ExpectedOutput(["Id <*>", "Lamp", "[1]"])
        let same = PrintedOutput("Id 7\nLamp\n", status: 1)
        let other = PrintedOutput("Id 7\nChair, 2026-05-28 20:26 UTC\n$ x\n\n", status: 2)

        #expect(expected.updated(by: same, since: now, now: now) == ["Id <*>", "Lamp", "[1]"])
        #expect(
            expected.updated(by: other, since: now, now: now) == ["Id <*>", "Chair, <now>", "\\$ x", "[2]"])
    }

    @Test(
        "A placeholder stands for one line, in order, and hides no other one",
        arguments: [
            (["<*>"], ["a", "b"], ["<*>", "b"]),
            (["x", "<*>", "y"], ["x", "1", "z", "y"], ["x", "<*>", "z", "y"]),
            (["<*>", "end"], ["end"], ["end"]), (["a <*>", "b"], ["b", "a 1"], ["b", "a 1"]),
        ])
    func placeholders(expected: [String], printed: [String], updated: [String]) {
        let now = Timestamp(microseconds: 0)
        let output = PrintedOutput(printed.joined(separator: "\n"), status: 0)

        #expect(ExpectedOutput(expected).updated(by: output, since: now, now: now) == updated)
    }

    @Test("A difference is shown as 'diff -u' does, and in XML without what XML can't have")
    func differences() throws {
        let transcript = try Transcript("$ a\n1\n2\n3\n4\n5\n6\n\n$ b <&>\n\u{1}x\n", file: "d/s.transcript")
        let played = PlayedTranscript(
            transcript: transcript,
            steps: [
                PlayedTranscript.Step(
                    step: transcript.steps[0], output: ["1", "2", "3", "4", "five", "5", "6"], problem: nil),
                PlayedTranscript.Step(step: transcript.steps[1], output: ["\u{1}y"], problem: nil),
            ], duration: .milliseconds(1_250))

        #expect(
            TranscriptDiff(played).text() == """
                --- d/s.transcript\texpected
                +++ d/s.transcript\tprinted
                @@ -3,5 +3,6 @@
                 2
                 3
                 4
                +five
                 5
                 6
                @@ -9,2 +10,2 @@
                 $ b <&>
                -\u{1}x
                +\u{1}y

                """)
        let report = JUnitReport(start: Timestamp(rfc3339: "2026-05-28T20:26:40Z")!, played: [played]).text
        #expect(report.contains(#"tests="1" failures="1" errors="0" time="1.250">"#))
        #expect(report.contains(#"timestamp="2026-05-28T20:26:40" hostname="localhost""#))
        #expect(report.contains(#"<testcase classname="d" name="s" time="1.250">"#))
        #expect(report.contains("d/s.transcript:9: the output of '$ b &lt;&amp;&gt;' differs"))
        #expect(report.contains("-\u{FFFD}x") && !report.contains("\u{1}"))
        #expect(played.text == "$ a\n1\n2\n3\n4\nfive\n5\n6\n\n$ b <&>\n\u{1}y\n")
    }
}
