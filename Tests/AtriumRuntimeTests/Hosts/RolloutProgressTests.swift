@_spi(Host) import AtriumKit
import AtriumManifest
import Testing

@testable import AtriumHosts

@Suite("Who takes a rollout, and when it ends") struct RolloutProgressTests {
    private static let wait = 5.0

    private func order(_ hosts: [String], skips: Bool = false, batch: Int = 1) -> RolloutOrder {
        RolloutOrder(
            id: "1", module: "Notes", from: [], version: SemanticVersion(2, 0, 0),
            libraries: [],
            database: "d", hosts: hosts.map { .init(identity: $0, name: "host-\($0)") }, batch: batch,
            wait: Self.wait,
            skipsUnreachable: skips, until: Timestamp(microseconds: .max))
    }

    private func rollout(
        _ members: [(String, Rollout.Member.State, age: Double)] = [], age: Double = 0,
        state: Rollout.State = .running
    ) -> Rollout {
        Rollout(
            id: 1, module: "Notes", version: "2.0.0", digest: "", batch: 1, wait: Self.wait, order: nil,
            state: state,
            reason: nil, host: "host-a", began: Timestamp(microseconds: 0), age: age,
            hosts: members.map {
                .init(identity: $0.0, name: "host-\($0.0)", state: $0.1, detail: nil, age: $0.age)
            })
    }

    @Test("While a host that the order names is away, no other begins, unless the order says so")
    func waits() {
        let rollout = rollout()

        #expect(!rollout.mayTake("a", order(["a", "b"]), among: ["a"]))
        #expect(rollout.mayTake("a", order(["a", "b"], skips: true), among: ["a"]))
        #expect(rollout.mayTake("a", order(["a", "b"]), among: ["a", "b"]))
    }

    @Test("A host that is away for long ends the rollout, which names it", arguments: [0, 34, 36])
    func ends(_ age: Double) {
        let rollout = rollout(age: age)
        let late = age > Self.wait + Rollout.patience

        let end = rollout.end(order(["a", "b", "c"]), ["a"])

        #expect(end == (late ? .failed("Hosts host-b, host-c can't be reached.") : .no))
        #expect(rollout.end(order(["a", "b", "c"], skips: true), ["a"]) == .no)
    }

    @Test("So does one that has taken the build and left")
    func left() {
        let rollout = rollout([("b", .done, 40)], age: 50)

        #expect(rollout.end(order(["a"]), ["a"]) == .failed("Host host-b can't be reached."))
        #expect(rollout.end(order(["a"], skips: true), ["a"]) == .no)
    }

    @Test("It is done once every connected host has the build")
    func done() {
        let all = rollout([("a", .done, 1), ("b", .done, 1)])

        #expect(all.end(order(["a", "b"]), ["a", "b"]) == .done)
        #expect(rollout([("a", .done, 1)]).end(order(["a", "b"]), ["a", "b"]) == .no)
        #expect(rollout([("a", .done, 1)], age: 40).end(order(["a", "b"], skips: true), ["a"]) == .done)
    }

    @Test("As many hosts take it at a time as the order says", arguments: [1, 2])
    func batches(_ batch: Int) {
        let order = order(["a", "b", "c"], batch: batch)
        let begun = rollout([("a", .taking, 1)])

        #expect(begun.mayTake("a", order, among: ["a", "b", "c"]))
        #expect(begun.mayTake("b", order, among: ["a", "b", "c"]) == (batch == 2))
        #expect(!begun.mayTake("c", order, among: ["a", "b", "c"]))
    }

    @Test("Hosts have gone back once none of them has the build")
    func returned() {
        let states: [(String, Rollout.Member.State, age: Double)] = [("a", .returned, 1), ("b", .failed, 1)]

        #expect(rollout(states, state: .returning).end(nil, ["a", "b", "c"]) == .returned)
        #expect(rollout([("a", .done, 1)], state: .returning).end(nil, ["a", "b"]) == .no)
    }
}
