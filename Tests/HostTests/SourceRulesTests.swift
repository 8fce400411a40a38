import Foundation
import Testing

/// Reads the sources for three rules of the architecture that neither types nor linking can hold.
@Suite struct SourceRulesTests {
    private struct Source {
        let path: String
        let lines: [Substring]
    }

    private let sources: [Source]

    init() throws {
        sources = try ["Sources", "Plugins", "Examples"].flatMap { folder -> [Source] in
            let names = FileManager.default.enumerator(atPath: Project.root.appending(path: folder).path)
            let paths = (names?.compactMap { $0 as? String } ?? []).filter {
                $0.hasSuffix(".swift") && !$0.contains(".build/")
            }
            return try paths.map { path in
                let file = Project.root.appending(path: "\(folder)/\(path)")
                let text = try String(contentsOf: file, encoding: .utf8)
                return Source(
                    path: "\(folder)/\(path)",
                    lines: text.split(separator: "\n", omittingEmptySubsequences: false))
            }
        }
    }

    @Test("in the SDK and in modules, only the session and the list of flows are one object for everybody")
    func singletons() throws {
        let folders = ["Sources/AtriumKit/Sources/AtriumKit/", "Plugins/", "Examples/"]
        let lines = sources.filter { source in folders.contains { source.path.hasPrefix($0) } }
            .flatMap(\.lines)
        let declaration = /\b(?:class|actor) ([A-Z]\w*)/
        let types = Set(lines.compactMap { $0.firstMatch(of: declaration).map { String($0.1) } })
        // Behind 'static', or at the start of a line, which is outside of everything.
        let property = /^(?:[^\/"]*\bstatic +|(?:@?\w+ +)*?)(?:let|var) +\w+(?: *:[^=]*)? *= *(\w+)\(/

        let shared = lines.compactMap { $0.firstMatch(of: property).map { String($0.1) } }

        #expect(types.count > 50)
        #expect(Set(shared.filter(types.contains)) == ["SessionManager", "FlowManager"])
    }

    @Test("only the transport's module talks to a network itself")
    func networking() {
        let others = sources.filter { !$0.path.hasPrefix("Plugins/URLSessionTransport/") }
        let talking = others.filter { source in
            source.lines.contains { $0.contains(/^[^\/]*(?:URLSession(?:\W|$)|import FoundationNetworking)/) }
        }

        #expect(talking.map(\.path) == [])
    }

    @Test("no file of a model is longer than 500 lines")
    func models() {
        let models = sources.filter { $0.path.contains(/^(?:Plugins|Examples)\/.*\/\w*Model\//) }

        #expect(models.count > 20)
        #expect(models.filter { $0.lines.count > 500 }.map(\.path) == [])
    }
}
