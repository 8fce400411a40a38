import Testing

@testable import AtriumRuntime

@Suite("Bisecting the modules that cause a crash")
@MainActor
struct CrashBisectionTests {
    private static let record = CrashRecord(
        text: "crash 1\nkind signal\nsignal 4\npid 1\nthread 1\ntime 0\nend\n")

    /// A bisection whose commands crash if all `culprits` are loaded.
    private func bisection(of culprits: Set<String>) -> CrashBisection {
        CrashBisection { modules, _ in culprits.isSubset(of: modules) ? Self.record : nil }
    }

    private func bisect(_ culprits: Set<String>, requirements: [String: Set<String>] = [:]) async throws
        -> BisectReport
    {
        try await bisection(of: culprits).bisect(
            ["A", "B", "C", "D", "E", "F"], requirements: requirements, script: "go")
    }

    @Test("One guilty module is found, whichever it is", arguments: ["A", "B", "C", "D", "E", "F"])
    func one(_ culprit: String) async throws {
        #expect(try await bisect([culprit]).guilty == [culprit])
    }

    @Test("Two modules that crash only together are both found")
    func two() async throws {
        #expect(try await bisect(["B", "E"]).guilty == ["B", "E"])
    }

    @Test("A module that a guilty one requires is loaded with it, but not reported as guilty")
    func requirements() async throws {
        let report = try await bisect(["D", "A"], requirements: ["D": ["D", "A"]])

        #expect(report.guilty == ["D"])
        #expect(report.tries.last?.modules.contains("A") == true)
    }

    @Test("A crash that does not recur has no guilty module")
    func none() async throws {
        let report = try await bisect(["Z"])

        #expect(report.guilty == [])
        #expect(report.tries.map(\.crashed) == [false])
        #expect(report.crash == nil)
    }
}
