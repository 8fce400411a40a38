import Foundation
import Testing

/// Limits of numbers that come from outside.
@Suite struct SourceRulesTests {
    /// Decoded numbers without limits, each with the reason why nothing can come of it.
    private static let unlimited: [String: String] = [
        "RecordListState.pages": "its initializer limits it",
        "Profile.age": "checked as input of a form", "Member.age": "checked as input of a form",
        "APIPage.total": "decoded as RowCount", "Seconds.number": "clamped where it is used",
        "Timestamp.microseconds": "limited where it is decoded",
        "Claims.exp": "limited where it is used", "Refusal.time": "its difference is clamped",
        "ProblemDetails.status": "shown only", "Body.errorCode": "shown only",
        "ResponseErrorHandler.errorCode": "shown only", "ResponseErrorHandler.statusCode": "shown only",
        "JournalEvent.process": "shown only", "JournalEvent.generation": "shown only",
        "JournalEvent.microseconds": "shown only", "Module.generation": "shown only",
        "Report.bytes": "shown only", "Report.files": "shown only", "Report.databases": "shown only",
        "Crash.generation": "shown only", "Snapshot.bytes": "shown only", "Costs.activate": "shown only",
        "Record.count": "the ids so far; it wraps around",
        "StackEntry.version": "compared only", "State.version": "compared only",
        "Field.line": "compared only", "Database.version": "compared only",
        "Library.inlinedLayout": "compared only", "Text.batch": "limited where it is decoded",
        "Text.wait": "limited where it is decoded",
    ]

    private static func sources() throws -> [SourceText] {
        try ["Plugins", "Examples", "Sources"].flatMap(SourceText.files).filter {
            !$0.name.contains("Tests/")
        }
    }

    @Test("A number that is decoded has limits, is an id, or is listed with a reason")
    func decodedNumbers() throws {
        let numbers = DecodedNumbers(in: try Self.sources()).members.filter {
            $0.name != "id" && ($0.limits == .unlimited || $0.limits == .floating)
        }

        #expect(Set(numbers.map { "\($0.type).\($0.name)" }) == Set(Self.unlimited.keys))
    }

    /// Arithmetic on numbers that have the name of a decoded one, each with the reason why it does not trap.
    private static let computed: [String: String] = [
        "request.pages += 1": "limited where it is decoded, and a person turns pages",
        "query.page + load.request.pages": "both are limited where they are decoded",
        "state.total += 1": "the calls of a mock", "self.time += time": "the pauses of a play",
        "order.batch - taking(": "limited where it is decoded",
        "contents += section.bytes": "bytes are appended", "result += whole.bytes": "bytes are appended",
        "result + whole.bytes": "bytes are appended", "text.bytes += added": "bytes are appended",
        "seconds * 1_000_000 + microseconds": "the year has four digits",
        "total += other.total": "the time since the start", "usage.total += time": "the time since the start",
    ]

    @Test("What is decoded is computed with by clamped arithmetic, unless its limits leave room")
    func arithmetic() throws {
        let sources = try Self.sources()

        // The architecture check reads the project's own index.
        let found = try DecodedNumbers(in: sources).plainArithmetic(
            in: sources.filter { !$0.name.contains("/ArchitectureTool/") })

        #expect(found.filter { line in !Self.computed.keys.contains { line.contains($0) } } == [])
        #expect(Self.computed.keys.filter { key in !found.contains { $0.contains(key) } } == [])
    }

    @Test("Plain arithmetic on each kind of decoded number is found")
    func seeded() throws {
        let answer = SourceText(
            name: "Answer.swift",
            text: """
                struct Answer: Decodable {
                    let offset: Int
                    @RowCount var total: Int
                    @PageSize var size = 20

                    var end: Int { offset + 1 }
                    var last: Int { offset.addingClamped(1) }
                }

                """)
        let use = SourceText(
            name: "Use.swift",
            text: """
                func use(_ answer: Answer, _ text: String) {
                    _ = (answer.offset - 1, 1)
                    _ = answer.total * 2
                    _ = 2 * answer.size
                    _ = 100 / answer.total
                    _ = (answer.total + answer.size - 1) / answer.size
                }

                extension Use {
                    func read(_ text: String) -> Int? {
                        guard let port = Int(text), port > 0 else { return nil }
                        return port + 1
                    }

                    func limited(_ text: String) -> Int? {
                        guard let day = Int(text), (1...31).contains(day) else { return nil }
                        return day + 1
                    }
                }
                """)

        let found = try DecodedNumbers(in: [answer]).plainArithmetic(in: [answer, use])

        #expect(
            found.map { $0.trimmingCharacters(in: .whitespaces) } == [
                "var end: Int { offset + 1 }", "_ = (answer.offset - 1, 1)", "_ = answer.total * 2",
                "_ = 2 * answer.size", "_ = 100 / answer.total", "let port = Int(text),",
            ])
    }

    @Test("Only ids have no limits")
    func limits() throws {
        let limits = /enum (\w+): NumberLimits \{[^}]*?ClosedRange<Int> \{ ([^}]+) \}/
        var found: [String: String] = [:]

        for file in try Self.sources() {
            for type in file.text.matches(of: limits) {
                found[String(type.output.1)] = String(type.output.2)
            }
        }

        #expect(found["RowCounts"] == "0...1 << 53", "\(found)")
        let unlimited = found.filter { $0.value.contains(".max") || $0.value.contains(".min") }
        #expect(unlimited.keys.allSatisfy { $0.hasSuffix("IDs") }, "\(unlimited)")
    }
}
