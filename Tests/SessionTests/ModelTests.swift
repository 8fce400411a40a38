import AtriumKit
import TestSupport
import Testing

@testable import Session

@Suite("Models of Session")
struct ModelTests {
    static let samples = ModelSamples(
        "Session",
        exceptions: [
            "Credentials": "holds a password", "SessionGrant": "holds a token",
            "SessionEvent": "holds a token", "SessionEnding": "is shown once, by this process",
        ],
        [
            .init(
                SessionRecord(
                    id: "a1", createdAt: Timestamp(microseconds: 1), lastUsedAt: Timestamp(microseconds: 2),
                    isCurrent: true)),
            .init(.account, .profile, .done as SignUpStep),
        ])

    @Test("A model is equal after it was encoded as JSON and decoded", arguments: samples.values)
    func roundTrip(_ values: ModelSamples.Values) throws {
        let changed = try values.changed()

        #expect(changed == [])
    }

    @Test("Every model has values above, or a reason why it is never encoded")
    func all() throws {
        let differences = try Self.samples.differences

        #expect(differences == [])
    }
}
