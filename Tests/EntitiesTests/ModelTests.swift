import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

@Suite("Models of Entities")
struct ModelTests {
    private static let entity = Entity(
        id: 7, name: "Lamp\n", category: "Light", notes: "👩‍👩‍👧‍👦", createdAt: Timestamp(microseconds: 1),
        updatedAt: Timestamp(microseconds: 1_767_225_600_123_456))
    private static let plain = Entity(
        id: 1, name: "", category: nil, notes: nil, createdAt: Timestamp(microseconds: 0),
        updatedAt: Timestamp(microseconds: 0))

    static let samples = ModelSamples(
        "Entities",
        exceptions: [:],
        [
            .init(entity, plain)
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
