import Foundation
import Testing

/// Checks that modules keep working while AtriumKit gains members.
///
/// `Tests/Fixtures/ABI/README.md` explains how to record an interface.
@Suite struct ABITests {
    @Test("A module built against the first interface works in this host: screen, action, state, health")
    func firstModule() throws {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let first = try #require(RecordedInterface.all.first)
        let module = try FirstModule(against: first.text, stamp: first.stamp, in: folder)

        try expectStory(of: module)

        let log = try String(contentsOf: folder.appending(path: "data/atrium.log"), encoding: .utf8)
        #expect(log.contains("info First: Jars for everybody."))
    }

    @Test(
        "A library that was built with a released SDK works in this host, and is updated to a build of today",
        arguments: RecordedInterface.all)
    func library(_ recorded: RecordedInterface) throws {
        let folder = try Project.temporaryFolder()
        let today = try Project.temporaryFolder()
        defer { for folder in [folder, today] { Project.remove(folder) } }
        let module = try FirstModule(library: recorded.library, in: folder)

        let shown = try module.play("module First")
        guard shown.status != 3 else {
            // Another compiler than the library's; nothing else may be the reason.
            #expect(shown.output.contains("was built by Swift 6.3.1, this host by Swift "), "\(shown.output)")
            return
        }
        #expect(try shown.output.contains(Regex("AtriumKit +\(recorded.version)\n")), "\(shown.output)")
        try expectStory(of: module)

        let rebuilt = try FirstModule(
            against: RecordedInterface.present.text, stamp: RecordedInterface.all.last?.stamp ?? [:],
            in: today)
        try module.replace(by: rebuilt.library)
        let updated = try module.play("open jars; enter 2; health")
        #expect(updated.status == 0, "\(updated.output)")
        #expect(updated.output.contains("Plum, top\nKind  pickles of some kind"), "\(updated.output)")
        #expect(updated.output.contains("3 on the shelf"))
    }

    /// Plays screen, action, state and health, in several processes.
    private func expectStory(of module: FirstModule) throws {
        let before = try module.play(
            "module First; open jars; fill Plum --kind pickles --count 2; fill Fig; only jam; exit")
        let after = try module.play("where; again; jars; enter 2; health")
        let refused = try module.play("jars fill ''")

        #expect(before.status == 0, "\(before.output)")
        #expect(before.output.contains("active"))
        #expect(before.output.contains("Filled 2 with pickles."))
        #expect(after.status == 0, "\(after.output)")
        #expect(after.output.contains(#/Link +jars\n/#))
        // The restored state first, then that of a new view model.
        let shown = after.output.matches(of: #/Only  (.*)/#).map(\.1)
        #expect(shown == ["jam of some kind", "-"])
        #expect(after.output.contains("3  Fig, top   jam of some kind"))
        #expect(after.output.contains("Plum, top\nKind  pickles of some kind"))
        #expect(after.output.contains("3 on the shelf"))
        #expect(refused.output.contains("error: The name is empty."))
        #expect(refused.status == 1)
    }

    @Test("A module that needs a newer AtriumKit is refused with the name of the missing declaration")
    func newerInterface() throws {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let first = try #require(RecordedInterface.all.first)
        let newer = try Edit(
            "func back() async throws",
            "func back() async throws\n  func present(_ link: Swift.String) async throws"
        ).applied(to: first.text)

        let module = try FirstModule(against: newer, stamp: first.stamp, in: folder) {
            $0.replacing("navigator.push(JarPlace(id: id))", with: #"navigator.present("jars/\(id)")"#)
        }
        let run = try module.play("modules; jars")

        #expect(
            run.output.contains(
                #/Module 'First' needs 'AtriumKit.Navigator.present\(.*\) .*', which AtriumKit [0-9.]+ of this host does/#
            ), "\(run.output)")
        #expect(run.status == 3)
    }

    @Test("No declaration of a recorded interface was removed or changed", arguments: RecordedInterface.all)
    func compatible(_ recorded: RecordedInterface) throws {
        let breaks = try InterfaceComparison.breaks(from: recorded.text, to: RecordedInterface.present.text)

        #expect(breaks == [], "Modules built against AtriumKit \(recorded.version) would break.")
    }

    @Test("At least one interface is recorded, and none exposes the host's SPI")
    func recorded() throws {
        #expect(!RecordedInterface.all.isEmpty)
        for interface in RecordedInterface.all {
            let text = try interface.text
            #expect(
                !text.contains("@_spi") && !text.contains("class Container ")
                    && !text.contains(Project.root.path))
        }
    }

    /// A change of the current interface.
    struct Edit: Sendable, CustomTestStringConvertible {
        let old: String
        let new: String
        var testDescription: String { "\(old) → \(new)".replacing("\n", with: " ") }

        init(_ old: String, _ new: String) {
            self.old = old
            self.new = new
        }

        func applied(to text: String) throws -> String {
            let range = try #require(text.firstRange(of: old))
            return text.replacingCharacters(in: range, with: new)
        }
    }

    @Test(
        "The comparison reports each incompatible change",
        arguments: [
            (Edit("public let loadsFirst: Swift.Bool\n", "\n"), "Var Action.loadsFirst has been removed"),
            (
                Edit("func back() async throws", "func leave() async throws"),
                "Func Navigator.back() has been removed"
            ),
            (
                Edit("func root() async throws", "func root() async throws\n  func present() async throws"),
                "Func Navigator.present() has been added as a protocol requirement"
            ),
            (
                Edit("case navigates\n", "case navigates\n    case prints\n"),
                "EnumElement Action.Effect.prints is added to a non-resilient type"
            ),
            (
                Edit("public let message: Swift.String?\n", "public let message: Swift.String\n"),
                "declared type"
            ),
        ])
    func breaks(_ edit: Edit, _ words: String) throws {
        let present = try RecordedInterface.present.text

        let breaks = try InterfaceComparison.breaks(from: present, to: edit.applied(to: present))

        #expect(breaks.contains { $0.contains(words) }, "\(breaks)")
    }

    @Test(
        "The comparison accepts additions",
        arguments: [
            Edit(
                "public let loadsFirst: Swift.Bool\n",
                "public let loadsFirst: Swift.Bool\n  public let key: Swift.Int\n"),
            Edit(
                "func dismiss(_ result: AtriumKit.PresentedResult) async throws\n}\n",
                "func dismiss(_ result: AtriumKit.PresentedResult) async throws\n  func present() async throws\n}\n"
                    + "extension AtriumKit.Navigator {\n  public func present() async throws\n}\n"),
            Edit("public enum Lifetime", "public struct Later {\n}\npublic enum Lifetime"),
        ])
    func additions(_ edit: Edit) throws {
        let present = try RecordedInterface.present.text

        let breaks = try InterfaceComparison.breaks(from: present, to: edit.applied(to: present))

        #expect(breaks == [])
    }
}
