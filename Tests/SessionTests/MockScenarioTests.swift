@_spi(Host) import AtriumKit
import Testing

@testable import Session

@Suite("Mock scenario")
struct MockScenarioTests {
    @Test("A scenario is read from the configuration", arguments: MockScenario.Kind.allCases)
    func configured(_ kind: MockScenario.Kind) {
        let scenario = MockScenario(Configuration(["scenario": .string(kind.rawValue), "delay": 2]))

        #expect(scenario.kind == kind)
        #expect(scenario.delay == .seconds(2))
    }

    @Test("The default is scenario success with a delay of half a second")
    func defaults() {
        let scenario = MockScenario(Configuration([:]))

        #expect(scenario.kind == .success)
        #expect(scenario.delay == .milliseconds(500))
    }

    @Test(
        "The delay is clamped to 0 to 3,600 seconds",
        arguments: [
            (-1.0, Duration.zero), (1e300, .seconds(3_600)), (0, .zero),
        ])
    func extremes(_ seconds: Double, _ delay: Duration) {
        #expect(MockScenario(Configuration(["delay": .number(seconds)])).delay == delay)
    }
}
