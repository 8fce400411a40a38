import Foundation
import Testing

/// Builds all fixture modules, whether or not another test loads them.
@Suite struct FixtureCorpusTests {
    @Test(
        "Every fixture is built into a library that contains its own manifest",
        arguments: FixtureModule.all)
    func builds(_ fixture: FixtureModule) throws {
        let image = try LibraryImage(of: fixture)

        let manifest = String(decoding: try image.manifest(), as: UTF8.self)
        #expect(manifest.contains(fixture.manifestMark), "\(manifest)")
    }

    /// The fixtures that other tests load; all others are refused.
    private static let loaded: Set = [
        "another-type-of-element", "checked-1", "checked-2", "checked-3", "counter-1", "counter-2",
        "deactivates-never", "exits-in-action", "greeter", "hangs-in-action", "harms-the-host", "journey",
        "leaks-its-view-model", "loans", "misbehaves", "notes-1", "notes-2", "notes-3", "overdue", "plain",
        "pulse", "quiet", "quotes", "rates-1", "rates-2", "requires-first", "requires-missing",
        "requires-second", "requires-unsatisfiable", "same-name", "same-version-other-content", "soak",
        "throws-in-absence", "throws-in-action", "throws-in-restore", "throws-in-snapshot",
        "traps-in-absence", "traps-in-action", "traps-in-load-in-absence", "waits-in-action",
    ]

    @Test("Every fixture is either expected to be refused or loaded by a test")
    func complete() {
        let refused = Set(Refusal.all.map(\.fixture.name))

        #expect(refused.isDisjoint(with: Self.loaded))
        #expect(FixtureModule.all.map(\.name) == refused.union(Self.loaded).sorted())
    }

    @Test("A fixture with unchanged sources is not rebuilt")
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
    /// A text that only this fixture's manifest contains.
    fileprivate var manifestMark: String {
        name == "name-invalid" ? "name invalid" : moduleName
    }
}
