import Testing

@testable import AtriumRuntime

@Suite("Finding the modules without which a crash does not happen")
@MainActor
struct CrashBisectionTests {
    private static let record = CrashRecord(
        text: "crash 1\nkind signal\nsignal 4\npid 1\nthread 1\ntime 0\nend\n")

    /// A bisection of commands that crash if all of some modules are there.
    private func bisection(of culprits: Set<String>) -> CrashBisection {
        CrashBisection { modules, _ in culprits.isSubset(of: modules) ? Self.record : nil }
    }

    private func bisect(_ culprits: Set<String>, requirements: [String: Set<String>] = [:]) async throws
        -> BisectReport
    {
        try await bisection(of: culprits).bisect(
            ["A", "B", "C", "D", "E", "F"], requirements: requirements, script: "go")
    }

    @Test("One of many modules is found, whichever it is", arguments: ["A", "B", "C", "D", "E", "F"])
    func one(_ culprit: String) async throws {
        #expect(try await bisect([culprit]).guilty == [culprit])
    }

    @Test("Two that crash only together are both found")
    func two() async throws {
        #expect(try await bisect(["B", "E"]).guilty == ["B", "E"])
    }

    @Test("What a module requires is loaded with it, and is not found guilty")
    func requirements() async throws {
        let report = try await bisect(["D", "A"], requirements: ["D": ["D", "A"]])

        #expect(report.guilty == ["D"])
        #expect(report.tries.last?.modules.contains("A") == true)
    }

    @Test("A crash that does not happen again has no guilty module")
    func none() async throws {
        let report = try await bisect(["Z"])

        #expect(report.guilty == [])
        #expect(report.tries.map(\.crashed) == [false])
        #expect(report.crash == nil)
    }
}
