import Foundation
import Testing

/// Limits of numbers that come from outside.
@Suite struct SourceRulesTests {
    /// Decoded numbers without limits, each with the reason why nothing can come of it.
    private static let unlimited: [String: String] = [
        "EntityListPosition.pages": "its initializer limits it",
        "Profile.age": "checked as input of a form", "Member.age": "checked as input of a form",
        "ProfileChanges.age": "checked as input of a form",
        "APIPage.total": "decoded as RowCount", "Timestamp.microseconds": "limited where it is decoded",
        "Claims.exp": "limited where it is used", "Refusal.time": "its difference is clamped",
        "ProblemDetails.status": "shown only", "Body.errorCode": "shown only",
        "ResponseErrorHandler.errorCode": "shown only", "ResponseErrorHandler.statusCode": "shown only",
        "JournalEvent.process": "shown only", "JournalEvent.generation": "shown only",
        "JournalEvent.microseconds": "shown only", "Module.generation": "shown only",
        "Report.bytes": "shown only", "Report.files": "shown only", "Report.databases": "shown only",
        "Record.number": "shown only", "Crash.generation": "shown only",
        "StackEntry.version": "compared only", "State.version": "compared only",
        "Field.line": "compared only", "Database.version": "compared only",
        "Library.inlinedLayout": "compared only", "Text.batch": "limited where it is decoded",
        "Text.wait": "limited where it is decoded",
    ]

    @Test("A number that is decoded has limits, is an id, or is listed with a reason")
    func decodedNumbers() throws {
        let structure = /^( *)(?:\w+ )*struct (\w+)(?:<[^\n{]*>)?: [^{]*\b(?:Deco|Co)dable\b[^{]*\{\n/
            .anchorsMatchLineEndings()
        let number = /^( *)(?:[\w()]+ )*(?:let|var) (\w+): \[?(?:U?Int\d*|Double)\]?\??(?: = .*)?$/
            .anchorsMatchLineEndings()
        var listed: Set<String> = []

        for file in try ["Plugins", "Examples", "Sources"].flatMap(SourceText.files)
        where !file.name.contains("Tests/") {
            for type in file.text.matches(of: structure) {
                let rest = file.text[type.range.upperBound...]
                let end = rest.firstRange(of: "\n\(type.output.1)}\n")?.lowerBound ?? rest.endIndex
                for member in rest[..<end].matches(of: number)
                where member.output.1.count == type.output.1.count + 4 && member.output.2 != "id" {
                    listed.insert("\(type.output.2).\(member.output.2)")
                }
            }
        }

        #expect(listed == Set(Self.unlimited.keys))
    }

    @Test("Only ids have no limits, and nothing is computed with them")
    func limits() throws {
        let limits = /enum (\w+): NumberLimits \{[^}]*?ClosedRange<Int> \{ ([^}]+) \}/
        let sum = /\b(?:id|ID) [-+*] |[-+*] [\w$][\w.$]*\.id\b/
        var found: [String: String] = [:]

        for file in try ["Plugins", "Examples", "Sources"].flatMap(SourceText.files) {
            for type in file.text.matches(of: limits) {
                found[String(type.output.1)] = String(type.output.2)
            }
            let computed = file.text.split(separator: "\n").filter {
                !$0.contains("//") && !$0.contains("\"") && $0.firstMatch(of: sum) != nil
            }
            #expect(computed.isEmpty, "\(file.name): \(computed)")
        }

        #expect(found["RowCounts"] == "0...1 << 53", "\(found)")
        let unlimited = found.filter { $0.value.contains(".max") || $0.value.contains(".min") }
        #expect(unlimited.keys.allSatisfy { $0.hasSuffix("IDs") }, "\(unlimited)")
    }

    @Test("Moments are compared, and their differences are clamped")
    func moments() throws {
        let plain = /microseconds [-+*] |[-+*] [\w$][\w.$]*\.microseconds\b/
        for file in try ["Plugins", "Examples", "Sources"].flatMap(SourceText.files) {
            let found = file.text.split(separator: "\n").filter {
                !$0.contains("//") && $0.firstMatch(of: plain) != nil
            }
            #expect(found.isEmpty, "\(file.name): \(found)")
        }
    }
}
