import Testing

/// The build reads the contribution points of a module from its sources.
@Suite("Contribution points at build time") struct PointReaderTests {
    @Test(
        "Each form of a point's declaration is read, with its aliases replaced",
        arguments: [
            (
                #"extension ContributionPoint where Element == Int { static var p: Self { Self("p") } }"#,
                "Int"
            ),
            (#"extension ContributionPoint where Element == Int { static let p = Self("p") }"#, "Int"),
            (#"enum Points { static let p: ContributionPoint<[Int]> = .init("p") }"#, "[Int]"),
            (#"let p = ContributionPoint<(id: Int, name: String)>("p")"#, "(id: Int, name: String)"),
            (
                #"""
                typealias Offer = (id: Int, tags: Tags)
                typealias Tags = [String]
                extension ContributionPoint where Element == @MainActor () async throws -> [Offer] {
                    static var p: Self { Self("p") }
                }
                """#, "@MainActor () async throws -> [(id: Int, tags: [String])]"
            ),
        ])
    func read(_ source: String, element: String) throws {
        let run = try ManifestRun([source])

        #expect(run.manifest.contains(#""points":{"p":"\#(element)"}"#), "\(run.manifest) \(run.messages)")
    }

    @Test(
        "What makes no point, or has no literal name, is left out",
        arguments: [
            #"extension Other where Element == Int { static var p: Self { Self("p") } } // ContributionPoint"#,
            #"func point(_ name: String) -> ContributionPoint<Int> { ContributionPoint<Int>(name) }"#,
        ])
    func unread(_ source: String) throws {
        #expect(!(try ManifestRun([source])).manifest.contains("points"))
    }
}
