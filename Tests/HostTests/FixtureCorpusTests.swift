import Foundation
import Testing

/// Builds the corpus of fixture modules, whether or not another test loads them.
@Suite struct FixtureCorpusTests {
    @Test(
        "every folder of the corpus becomes a library with its own manifest in it",
        arguments: FixtureModule.all)
    func builds(_ fixture: FixtureModule) throws {
        let image = try LibraryImage(of: fixture)

        let manifest = String(decoding: try image.manifest(), as: UTF8.self)
        #expect(manifest.contains(fixture.manifestMark), "\(manifest)")
    }

    /// What the stories load; all others are refused.
    private static let loaded: Set = [
        "counter-1", "counter-2", "deactivates-never", "exits-in-action", "greeter", "hangs-in-action",
        "journey", "leaks-its-view-model", "plain", "pulse", "quiet", "requires-first", "requires-missing",
        "requires-second",
        "requires-unsatisfiable", "same-name", "same-version-other-content", "soak",
        "throws-in-action", "throws-in-restore", "throws-in-snapshot", "traps-in-action", "waits-in-action",
    ]

    @Test("every folder of the corpus is expected to be refused, or is loaded by a story")
    func complete() {
        let refused = Set(Refusal.all.map(\.fixture.name))

        #expect(refused.isDisjoint(with: Self.loaded))
        #expect(FixtureModule.all.map(\.name) == refused.union(Self.loaded).sorted())
    }

    @Test("a fixture whose sources are as they were is not built again")
    func cached() throws {
        let library = try FixtureModule.plain.library()
        let before = try FileManager.default.attributesOfItem(atPath: library.path)

        let again = try FixtureModule.plain.library()
        let after = try FileManager.default.attributesOfItem(atPath: again.path)

        #expect(again == library)
        #expect(before[.systemFileNumber] as? UInt64 == after[.systemFileNumber] as? UInt64)
    }
}

extension FixtureModule {
    /// Something that only its own manifest says.
    fileprivate var manifestMark: String {
        name == "name-invalid" ? "name invalid" : moduleName
    }
}
