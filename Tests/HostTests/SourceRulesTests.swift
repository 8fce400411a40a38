import Foundation
import Testing

/// Rules that neither types nor the compiler's index can check; they are checked in the modules' sources.
@Suite struct SourceRulesTests {
    @Test("Every module has the folders of the common layers", arguments: SourceRules.modules)
    func folders(_ module: String) throws {
        let folder = Project.root.appending(path: module).path

        let names = try FileManager.default.contentsOfDirectory(atPath: folder)

        #expect(Set(["Model", "Repo", "Services", "View", "ViewModel"]).subtracting(names) == [])
    }

    @Test("Models are values", arguments: SourceRules.modules)
    func models(_ module: String) throws {
        for (file, text) in try SourceRules.files(in: "\(module)/Model") {
            #expect(SourceRules.objects(in: text) == [], "\(file)")
        }
    }

    @Test("Views have no mutable state", arguments: SourceRules.modules)
    func views(_ module: String) throws {
        let files = try SourceRules.files(in: "\(module)/View").filter {
            !SourceRules.views(in: $0.text).isEmpty
        }

        #expect(!files.isEmpty)
        for (file, text) in files { #expect(SourceRules.storedVariables(in: text) == [], "\(file)") }
    }

    @Test("No view model names a view", arguments: SourceRules.modules)
    func viewModels(_ module: String) throws {
        let views = try SourceRules.files(in: "\(module)/View").flatMap { SourceRules.views(in: $0.text) }

        #expect(!views.isEmpty)
        for (file, text) in try SourceRules.files(in: "\(module)/ViewModel") {
            #expect(views.filter { SourceRules.words(of: text).contains($0) } == [], "\(file)")
        }
    }

    @Test(
        "No function takes a completion handler, except for URLSession's callbacks",
        arguments: ["Sources", "Plugins", "Examples/Catalog/Sources", "Examples/Backend/Sources"])
    func completionHandlers(_ folder: String) throws {
        for (file, text) in try SourceRules.files(in: folder) where !file.hasSuffix("TransportSession.swift")
        {
            #expect(SourceRules.completionHandlers(in: text) == [], "\(file)")
        }
    }

    @Test("Violations are detected")
    func broken() {
        #expect(SourceRules.objects(in: "struct A {}\nfinal class B {}\n  public actor C {\n") == ["B", "C"])
        #expect(SourceRules.views(in: "struct A: View {\nstruct B: Equatable {\n") == ["A"])
        #expect(
            SourceRules.storedVariables(in: "  let a: Int\n  var body: Content {\n  private var count = 0\n")
                == ["count"])
        #expect(
            SourceRules.completionHandlers(in: "func a(completion: (Int) -> Void)\nfunc b(_ done: Bool)")
                == ["completion"])
        #expect(SourceRules.words(of: "let view: AView // BView\n").contains("AView"))
        #expect(!SourceRules.words(of: "let view: AView // BView\n").contains("BView"))
    }
}

/// Searches the sources with regular expressions.
enum SourceRules {
    static let modules =
        ["Entities", "Session", "UserProfile"].map { "Plugins/\($0)" }
        + ["Examples/Catalog/Sources/Catalog", "Examples/Backend/Sources/Notes"]

    static func files(in folder: String) throws -> [(file: String, text: String)] {
        let root = Project.root.appending(path: folder)
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }.sorted().map {
            ("\(folder)/\($0)", try String(contentsOf: root.appending(path: $0), encoding: .utf8))
        }
    }

    static func objects(in text: String) -> [String] {
        matches(of: #"^\s*(?:[@\w]+ )*(?:class|actor) (\w+)"#, in: text)
    }

    static func views(in text: String) -> [String] {
        matches(of: #"^(?:public )?struct (\w+): (?:.*\b)?View\b"#, in: text)
    }

    static func storedVariables(in text: String) -> [String] {
        matches(of: #"^\s*(?:private |fileprivate |public )*var (\w+)[^{\n]*$"#, in: text)
    }

    static func completionHandlers(in text: String) -> [String] {
        matches(of: #"\b(completion\w*|callback|\w+Handler)\s*:\s*(?:@escaping |@Sendable )*\("#, in: text)
    }

    /// The words of the code, without comments.
    static func words(of text: String) -> Set<String> {
        Set(matches(of: #"(\w+)"#, in: text.replacing(#/\/\/.*/#, with: "")))
    }

    private static func matches(of pattern: String, in text: String) -> [String] {
        guard let expression = try? NSRegularExpression(pattern: pattern, options: .anchorsMatchLines) else {
            preconditionFailure("The pattern is none: \(pattern)")
        }
        return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
            Range($0.range(at: 1), in: text).map { String(text[$0]) }
        }
    }
}
