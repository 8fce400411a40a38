import AtriumManifest
import TestSupport
import Testing

@testable import AtriumModules

@Suite("Resolving requirements")
struct ResolverTests {
    /// A module and its requirements: `module("B", "A ^1.0.0")`.
    private func module(_ name: String, _ requires: String..., version: String = "1.0.0") throws
        -> ModuleManifest
    {
        try module(name, requires: requires, version: version)
    }

    private func module(_ name: String, requires: [String], version: String = "1.0.0") throws
        -> ModuleManifest
    {
        let members = requires.map { $0.split(separator: " ", maxSplits: 1) }.map {
            "\"\($0[0])\": \"\($0[1])\""
        }
        return try manifest(
            manifestJSON(name, version: version, requires: "{\(members.joined(separator: ", "))}"))
    }

    /// Modules with uses: `A > B ^1` uses B, `A >> B` requires it.
    @Test(
        "A use counts in the order where the module is there, fits and makes no cycle, and keeps none waiting",
        arguments: [
            ("uses one that comes later", ["A > B", "C", "B"], ["B", "A", "C"], [:]),
            ("is not there", ["A > B", "C"], ["A", "C"], [:]),
            ("another version", ["A > B ^2", "B"], ["A", "B"], [:]),
            ("waits itself", ["A > B", "B >> C"], ["A"], [:]),
            ("requires its user", ["A > B", "B >> A"], ["A", "B"], ["A": ["B"]]),
            ("use each other", ["A > B", "B > A"], ["B", "A"], ["B": ["A"]]),
            ("in a ring", ["A > B", "B > C", "C >> A"], ["B", "A", "C"], ["B": ["C"]]),
        ] as [(String, [String], [String], [String: [String]])])
    func uses(_ row: (name: String, modules: [String], order: [String], later: [String: [String]])) throws {
        let manifests = try row.modules.map { text in
            let words = text.split(separator: " ")
            let key = words.count > 1 && words[1] == ">>" ? "requires" : "uses"
            let others = words.count > 1 ? "{\"\(words[2])\": \"\(words.count > 3 ? words[3] : "*")\"}" : "{}"
            return try manifest(
                manifestJSON(String(words[0])).replacing("\"requires\": {}", with: "\"\(key)\": \(others)"))
        }

        let resolution = Resolver.resolve(manifests)

        #expect(resolution.order == row.order, "\(row.name)")
        #expect(resolution.later == row.later, "\(row.name)")
        #expect(resolution.cycles.isEmpty, "\(row.name)")
    }

    @Test("Modules without requirements start in the given order")
    func independent() throws {
        let resolution = Resolver.resolve([try module("C"), try module("A"), try module("B")])

        #expect(resolution.order == ["C", "A", "B"])
        #expect(resolution.waiting.isEmpty)
        #expect(resolution.cycles.isEmpty)
        #expect(Resolver.resolve([]).order.isEmpty)
    }

    @Test("Required modules start first")
    func order() throws {
        let resolution = Resolver.resolve([
            try module("Entities", "Session ^1.0.0", "Storage *"), try module("Home"),
            try module("Session", "Storage ^1.2.0"), try module("Storage", version: "1.3.0"),
        ])

        #expect(resolution.order == ["Storage", "Session", "Entities", "Home"])
        #expect(resolution.waiting.isEmpty)
    }

    @Test(
        "A module with missing, unusable or incompatible requirements waits, with all of them in its reason"
    )
    func unmet() throws {
        let resolution = Resolver.resolve(
            [
                try module("Entities", "Missing ^1.0.0", "Broken *", "Session ^2.0.0", "Storage *"),
                try module("Session", version: "1.4.2"), try module("Storage"),
            ], unusable: ["Broken"])

        #expect(resolution.order == ["Session", "Storage"])
        #expect(
            resolution.waiting == [
                "Entities":
                    "it requires Missing ^1.0.0, which is not installed; "
                    + "and Broken *, which can't be loaded; and Session ^2.0.0, but Session is 1.4.2."
            ])
    }

    @Test("Modules that require a waiting module wait too, along the chain")
    func chain() throws {
        let resolution = Resolver.resolve([
            try module("Third", "Second *"), try module("Second", "First *"),
            try module("First", "Missing *"),
            try module("Free"),
        ])

        #expect(resolution.order == ["Free"])
        #expect(
            resolution.waiting == [
                "First": "it requires Missing *, which is not installed.",
                "Second": "it requires First *, which is waiting itself.",
                "Third": "it requires Second *, which is waiting itself.",
            ])
    }

    @Test("Each member of a cycle gets its path; modules that require a member wait; others start")
    func cycle() throws {
        let resolution = Resolver.resolve([
            try module("Outside", "A *"), try module("A", "B *"), try module("B", "C *"),
            try module("C", "A *"),
            try module("Free"),
        ])

        #expect(resolution.order == ["Free"])
        #expect(
            resolution.cycles == [
                "A": ["A", "B", "C", "A"], "B": ["A", "B", "C", "A"], "C": ["A", "B", "C", "A"],
            ])
        #expect(
            resolution.waiting == ["Outside": "it requires A *, which is part of a dependency cycle."])
    }

    @Test("Every module gets one result, and starts after all that it requires", arguments: 0..<8)
    func results(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let names = (0..<Int.random(in: 1...9, using: &generator)).map { "M\($0)" }
            let manifests = try names.map { name in
                let required = (names + ["Missing"]).filter { $0 != name }.filter { _ in
                    Int.random(in: 0..<5, using: &generator) == 0
                }
                return try module(name, requires: required.map { "\($0) ^1.0.0" })
            }

            let resolution = Resolver.resolve(manifests)

            let mentioned = resolution.order + Array(resolution.waiting.keys) + Array(resolution.cycles.keys)
            try #require(mentioned.sorted() == names)
            for manifest in manifests {
                guard let index = resolution.order.firstIndex(of: manifest.name) else { continue }
                let before = resolution.order[..<index]
                try #require(manifest.requires.allSatisfy { before.contains($0.name) })
            }
            for path in resolution.cycles.values {
                try #require(path.first == path.last)
                for (name, next) in zip(path, path.dropFirst()) {
                    let requires = manifests.first { $0.name == name }?.requires.map(\.name) ?? []
                    try #require(requires.contains(next))
                }
            }
        }
    }
}
