import Testing

@Suite("Whatever the order of requests, refusals, renewals, sign-ins and cancellations")
struct InterleavingTests {
    @Test(
        "No sign-out is lost, no renewal is doubled, nothing refused or forgotten is sent, each call ends once",
        arguments: 0..<20 as Range<UInt64>)
    func random(block: UInt64) async throws {
        for seed in block * 10..<block * 10 + 10 {
            try await Interleaving(seed: seed).run(steps: 60)
        }
    }
}
