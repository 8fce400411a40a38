import AtriumKit
import Testing

@testable import AtriumLibraries
@testable import AtriumManifest
@testable import AtriumModules
@testable import AtriumRepositories

@Suite("Choosing versions")
struct VersionChooserTests {
    /// A library and its requirements: `offer("Notes 1.0.0", "Tags ^1.0.0")`.
    private func offer(_ release: String, _ requires: String..., sdk: String? = nil) throws -> RepositoryOffer
    {
        let version = try version(release, requires)
        return RepositoryOffer(
            entry: RepositoryIndex.Entry(
                name: version.name, version: version.version, summary: "For tests",
                requires: version.requires,
                sdk: try sdk.map { try SemanticVersion(parsing: $0) } ?? SDKVersion.current,
                inlinedLayout: SDKVersion.inlinedLayout, compiler: Compatibility.compiler, file: "lib.so",
                size: 1,
                digest: ""),
            repository: "/srv")
    }

    private func here(_ release: String, _ requires: String...) throws -> VersionChooser.Version {
        try version(release, requires)
    }

    private func version(_ release: String, _ requires: [String]) throws -> VersionChooser.Version {
        let parts = release.split(separator: " ").map(String.init)
        return VersionChooser.Version(
            name: parts[0], version: try SemanticVersion(parsing: parts[1]),
            requires: try requires.map { text in
                let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
                return Requirement(name: parts[0], range: try VersionRange(parsing: parts[1]))
            }, offer: nil)
    }

    private func chooser(_ present: [VersionChooser.Version], _ offers: [RepositoryOffer]) -> VersionChooser {
        VersionChooser(
            present: present,
            offers: Dictionary(grouping: offers, by: \.name).mapValues {
                $0.sorted { $0.version > $1.version }
            })
    }

    private func names(_ offers: [RepositoryOffer]?) -> [String]? {
        offers?.map { "\($0.name) \($0.version)" }
    }

    // MARK: - Installing

    @Test("The newest version in the range comes with what it requires and is not here")
    func install() throws {
        var chooser = chooser(
            [try here("Session 1.2.0")],
            [
                try offer("Notes 1.0.0"), try offer("Notes 1.9.0", "Tags ^1.0.0", "Session ^1.0.0"),
                try offer("Notes 2.0.0"), try offer("Notes 1.10.0-beta.1"),
                try offer("Tags 1.0.0", "Words *"),
                try offer("Tags 1.0.1", "Words *"), try offer("Tags 2.0.0"), try offer("Words 3.0.0"),
                try offer("Session 1.3.0"),
            ])

        let chosen = try chooser.install("Notes", VersionRange(parsing: "^1.0.0"))

        #expect(names(chosen) == ["Notes 1.9.0", "Tags 1.0.1", "Words 3.0.0"])
    }

    @Test("An older version is chosen if a newer one does not fit the host, or lacks a requirement")
    func older() throws {
        var chooser = chooser(
            [try here("Session 1.2.0")],
            [
                try offer("Notes 1.0.0", "Tags ^1.0.0"), try offer("Notes 1.1.0", "Missing *"),
                try offer("Notes 1.2.0", "Session ^2.0.0"), try offer("Notes 1.3.0", sdk: "9.0.0"),
                try offer("Notes 1.4.0", "Tags ^2.0.0"), try offer("Session 2.0.0"),
                try offer("Tags 1.0.0"), try offer("Tags 1.1.0", "Missing *"),
            ])

        let chosen = try chooser.install("Notes", VersionRange(parsing: "*"))

        #expect(names(chosen) == ["Notes 1.0.0", "Tags 1.0.0"])
        #expect(
            chooser.reasons == [
                "Notes 1.4.0 requires Tags ^2.0.0, which no repository has.",
                "Module 'Notes 1.3.0' was built against AtriumKit 9.0.0, this host has \(SDKVersion.current).",
                "Notes 1.2.0 requires Session ^2.0.0, but Session 1.2.0 is installed.",
                "Notes 1.1.0 requires Missing *, which no repository has.",
                "Tags 1.1.0 requires Missing *, which no repository has.",
            ])
    }

    @Test("Two modules that require one share a version of it, older than the newest if need be")
    func shared() throws {
        var chooser = chooser(
            [],
            [
                try offer("Notes 1.0.0", "Left *", "Right *"), try offer("Left 1.0.0", "Base *"),
                try offer("Right 1.0.0", "Base ^1.0.0"), try offer("Base 1.0.0"), try offer("Base 2.0.0"),
            ])

        let chosen = try chooser.install("Notes", VersionRange(parsing: "*"))

        #expect(names(chosen) == ["Base 1.0.0", "Left 1.0.0", "Notes 1.0.0", "Right 1.0.0"])
    }

    @Test("Nothing is chosen if no version can be installed")
    func none() throws {
        var chooser = chooser([], [try offer("Notes 1.0.0", "Tags *")])

        #expect(try chooser.install("Notes", VersionRange(parsing: "*")) == nil)
        #expect(chooser.reasons == ["Notes 1.0.0 requires Tags *, which no repository has."])
    }

    @Test("An index that is made to have no answer, or a chain without end, is given up in words")
    func bounded() throws {
        var offers = [try offer("Notes 1.0.0", "M0 *", "Z *")]
        for module in 0..<12 {
            for minor in 0..<6 {
                offers.append(try offer("M\(module) 1.\(minor).0", "M\(module + 1) *", "Z >=2.0.0"))
            }
        }
        offers += [try offer("M12 1.0.0", "Z <2.0.0"), try offer("Z 1.0.0"), try offer("Z 2.0.0")]
        var hostile = chooser([], offers)
        let error = #expect(throws: RepositoryError.self) {
            try hostile.install("Notes", VersionRange(parsing: "*"))
        }
        #expect(error?.code == "tooManyChoices")

        var chain = chooser([], try (0..<200).map { try offer("M\($0) 1.0.0", "M\($0 + 1) *") })
        #expect(throws: RepositoryError.self) { try chain.install("M0", VersionRange(parsing: "*")) }
    }

    // MARK: - Upgrading

    @Test("All modules get their newest versions, and what these require")
    func upgradeAll() throws {
        var chooser = chooser(
            [try here("Notes 1.0.0", "Tags ^1.0.0"), try here("Tags 1.0.0"), try here("Session 1.0.0")],
            [
                try offer("Notes 2.0.0", "Tags ^2.0.0", "Words *"), try offer("Tags 2.0.0"),
                try offer("Tags 0.9.0"), try offer("Words 1.0.0"), try offer("Session 1.1.0-rc.1"),
            ])

        let chosen = try chooser.upgrade(["Notes", "Tags", "Session"])

        #expect(names(chosen) == ["Notes 2.0.0", "Tags 2.0.0", "Words 1.0.0"])
    }

    @Test("A module stays if another one that stays requires its version")
    func dependents() throws {
        var chooser = chooser(
            [try here("Notes 1.0.0", "Tags ^1.0.0"), try here("Tags 1.0.0")],
            [try offer("Tags 1.1.0"), try offer("Tags 2.0.0")])

        #expect(names(try chooser.upgrade(["Notes", "Tags"])) == ["Tags 1.1.0"])
        #expect(
            chooser.reasons == ["Notes 1.0.0 requires Tags ^1.0.0, but Tags 2.0.0 is offered."])
    }

    @Test("A named module takes along only what it requires")
    func named() throws {
        let present = [try here("Notes 1.0.0"), try here("Tags 1.0.0"), try here("Session 1.0.0")]
        let offers = [
            try offer("Notes 1.1.0", "Tags ^1.1.0"), try offer("Tags 1.1.0"), try offer("Session 1.1.0"),
        ]
        var notes = chooser(present, offers)
        var session = chooser(present, offers)

        #expect(names(try notes.upgrade(["Notes"])) == ["Notes 1.1.0", "Tags 1.1.0"])
        #expect(names(try session.upgrade(["Session"])) == ["Session 1.1.0"])
    }

    @Test("A module that waits already does not keep others from being upgraded")
    func waiting() throws {
        var chooser = chooser(
            [try here("Notes 1.0.0", "Missing *", "Tags ^9.0.0"), try here("Tags 1.0.0")],
            [try offer("Tags 1.1.0"), try offer("Missing 1.0.0")])

        #expect(names(try chooser.upgrade(["Notes", "Tags"])) == ["Tags 1.1.0"])
    }
}
