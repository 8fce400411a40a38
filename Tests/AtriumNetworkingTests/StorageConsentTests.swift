import AtriumTesting
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit
@testable import AtriumNetworking

@Suite("What a server forbids to store is not kept for when it can't be reached") @MainActor
struct StorageConsentTests {
    private let storage = TemporaryDatabase(owner: "Shelves", migrations: [OfflineStore.migration(1)])

    private func repository(_ control: String?) throws -> RecordRepository<Shelf> {
        let client = try TestClient(tokens: .sample()) { request in
            let row = #"{"id": 1, "name": "a"}"#
            return .json(
                request.method == .get && !request.url.contains("/1")
                    ? #"{"rows": [\#(row)], "total": 1}"# : row,
                control.map { ["Cache-Control": $0] } ?? [:])
        }
        let offline = OfflineStore(
            database: storage.database, server: "http://server.test", clock: client.clock,
            logger: client.log.logger)
        return RecordRepository(
            service: ResourceRecordService<Shelf>(api: client.manager, path: "v1/shelves"),
            offline: RecordOfflineStore(offline), session: nil, analytics: nil, clock: client.clock)
    }

    @Test(
        "Only no-store forbids it",
        arguments: [
            (nil, 2), ("private, max-age=5", 2), ("no-cache", 2), ("max-age=0, must-revalidate", 2),
            ("no-store", 0),
            ("private, No-Store", 0),
        ] as [(String?, Int)])
    func control(control: String?, count: Int) async throws {
        let repository = try repository(control)

        _ = try await repository.shown(RecordQuery())
        _ = try await repository.shown(1)

        #expect(try await storage.count("answerCopies") == count)
    }

    @Test("The answer to a change is not kept either", arguments: [("no-store", 0), ("private", 1)])
    func change(control: String, count: Int) async throws {
        let repository = try repository(control)
        let former = Shelf(id: 1, name: "b")

        _ = try await repository.create(Shelf(id: 0, name: "a"))
        _ = try await repository.update(Shelf(id: 1, name: "a"), from: former)

        #expect(try await storage.count("answerCopies") == count)
    }

    @Test("One of several answers is enough, and later reads are not affected")
    func several() async throws {
        let client = try TestClient { request in
            .json(
                #"{"id": 1, "name": "a"}"#, request.url.hasSuffix("/2") ? ["Cache-Control": "no-store"] : [:])
        }
        let offline = OfflineStore(
            database: storage.database, server: "http://server.test", clock: client.clock,
            logger: client.log.logger)

        for ids in [[1, 2, 1], [1]] {
            _ = try await offline.answer("rows \(ids)", account: nil) {
                try await client.manager.batch(ids.map { .row($0) }, width: 2).map { try $0.get() }
            }
        }

        #expect(try await storage.dump("answerCopies").map { $0.contains("rows [1]") } == [true])
    }
}

private struct Shelf: Record {
    var id = 0
    var name = ""

    static let link = "shelves"
    static let fields: Fields<Shelf> = [RecordField("name", "Its name", \.name, .length(1...100))]
}
