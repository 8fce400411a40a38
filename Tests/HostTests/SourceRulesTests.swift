import Foundation
import Testing

/// How the project's own modules are laid out; the architecture check has the rules for any module.
@Suite struct SourceRulesTests {
    /// The layers of a module, each a folder.
    private static let layers: Set = ["Model", "Repo", "Services", "View", "ViewModel"]
    private static let modules = ["Entities", "Session", "UserProfile"]

    @Test(
        "Every module, and what 'atrium new' makes, has the folders of the common layers",
        arguments: modules.map { "Plugins/\($0)" }
            + ["Catalog/Sources/Catalog", "Shop/Sources/Shop", "Backend/Sources/Notes"].map {
                "Examples/\($0)"
            }
            + ["crud", "form", "minimal", "service"].map {
                "Sources/AtriumKit/Templates/\($0)/Sources/__NAME__"
            })
    func folders(_ module: String) throws {
        let folder = Project.root.appending(path: module).path

        let names = try FileManager.default.contentsOfDirectory(atPath: folder)

        #expect(Self.layers.subtracting(names) == [])
    }

    // MARK: - Imports

    /// What each folder may import of the project.
    ///
    /// Arrows point down: the host, then the shell, then what it drives, then the SDK; a module sees the SDK only.
    private static let below: [String: Set<String>] = [
        "Sources/atrium": [
            "AtriumShell", "AtriumNavigation", "AtriumRuntime", "AtriumNetworking", "AtriumStorage",
            "AtriumManifest", "AtriumKit", "MainQueue",
        ],
        "Sources/AtriumShell": [
            "AtriumNavigation", "AtriumRuntime", "AtriumNetworking", "AtriumStorage", "AtriumManifest",
            "AtriumKit", "CEditline",
        ],
        "Sources/AtriumNavigation": ["AtriumKit"],
        "Sources/AtriumRuntime": ["AtriumStorage", "AtriumManifest", "AtriumKit", "CCrash", "CSodium"],
        "Sources/AtriumNetworking": ["AtriumManifest", "AtriumKit"],
        "Sources/AtriumStorage": ["AtriumManifest", "AtriumKit", "CSQLite"],
        "Sources/AtriumKit/Sources/AtriumKit": [],
        "Sources/AtriumTools/AtriumManifest": [],
        "Plugins/Entities": ["AtriumKit"],
        "Plugins/Session": ["AtriumKit", "CSodium"],
        "Plugins/UserProfile": ["AtriumKit"],
        "Plugins/HTTPTransport": ["AtriumKit", "CCurl"],
        "Plugins/PostgreSQL": ["AtriumKit", "CPostgreSQL"],
    ]

    @Test("A library imports only what is below it", arguments: below.keys.sorted())
    func imports(_ folder: String) throws {
        let own = Set(Self.below.keys.map { String($0.split(separator: "/").last ?? "") })
            .union(Self.below.values.joined())

        let imported = try SourceText.files(in: folder).flatMap { file in
            file.text.matches(
                of: /^(?:@\S+ )*(?:\w+ )?import (?:(?:struct|class|enum|func|protocol) )?(\w+)/
                    .anchorsMatchLineEndings()
            ).map { String($0.output.1) }
        }

        #expect(!imported.isEmpty)
        #expect(own.intersection(imported).subtracting(Self.below[folder] ?? []) == [])
    }

    // MARK: - Numbers

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
        "Crash.generation": "shown only",
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

    // MARK: - Mocks

    /// An offline store keeps answers of the server for later, so it has nothing to do where there is none.
    private static let storesWithoutMock: Set = ["EntityOfflineStore", "ProfileOfflineStore"]

    @Test("Every service has a mock with scenarios, which records each of its calls", arguments: modules)
    func mocks(_ module: String) throws {
        let services = try SourceText.files(in: "Plugins/\(module)/Services").map(\.text)
        let registrations = try SourceText.files(in: "Plugins/\(module)").filter {
            $0.name == "\(module)Module.swift"
        }.map(\.text).joined()
        let protocols = services.joined(separator: "\n").matches(
            of: /^protocol (\w+).*?\n}/.anchorsMatchLineEndings().dotMatchesNewlines()
        ).filter { !Self.storesWithoutMock.contains(String($0.output.1)) }
        #expect(!protocols.isEmpty)

        for match in protocols {
            let name = String(match.output.1)
            let mock = services.first { $0.contains(" Mock\(name): \(name)") }
            #expect(mock != nil, "There is no Mock\(name).")
            #expect(
                registrations.contains("$0.mock((any \(name)).self)"),
                "The mock of \(name) is registered without scenarios.")
            for method in match.output.0.matches(of: /func (\w+)/).map(\.output.1)
            where !Self.unrecorded.contains("\(name).\(method)") {
                // A default implementation calls other methods of the service.
                let hasDefault = services.contains {
                    $0.contains("extension \(name) {") && $0.ranges(of: "func \(method)(").count > 1
                }
                guard !hasDefault else { continue }
                #expect(
                    mock?.contains(try Regex("play\\(\\s*\"\(method)\"")) == true,
                    "Mock\(name) does not record '\(method)'.")
            }
        }
    }

    /// Methods that no person calls: they neither fail nor take time.
    private static let unrecorded: Set = ["SessionService.events", "SessionService.forget"]
}
