import AtriumTesting
import Testing

@testable import AtriumKit
@testable import Entities

@MainActor
@Suite("Pages of a list", .timeLimit(.minutes(5)))
struct EntityListingTests {
    private let world = ModelWorld((1...7).map { Entity.sample($0, "entity \($0)") })
    private var listing: EntityListing { world.listing }
    private let query = EntityQuery(size: 3)

    @Test("Pages are added until the list ends")
    func pages() async throws {
        try await world.show(query)
        #expect(listing.rows.map(\.id) == [1, 2, 3])
        #expect(listing.hasMore)

        try await next()
        #expect(listing.rows.map(\.id) == [1, 2, 3, 4, 5, 6])
        try await next()
        #expect(listing.rows.map(\.id) == Array(1...7))
        #expect(!listing.hasMore)
        try await next()

        #expect(world.service.calls == ["page 1", "page 2", "page 3"])
        #expect(listing.window?.lastPage == 3)
        #expect(listing.window?.isExact == true)

        try await world.begin { try? await listing.loadAll() }
        try await world.interleaver.finish()
        #expect(listing.rows.map(\.id) == Array(1...7))
    }

    @Test("Two concurrent requests for the next page fetch and append it once")
    func doubleCall() async throws {
        try await world.show(query)

        for _ in 1...2 { try await world.begin { try? await listing.loadNextPage() } }
        #expect(listing.isLoading)
        try await world.interleaver.finish()

        #expect(listing.rows.map(\.id) == [1, 2, 3, 4, 5, 6])
        #expect(world.service.calls == ["page 1", "page 2"])
        #expect(!listing.isLoading)
    }

    @Test("A failed page load leaves the loaded pages; the next attempt clears the failure and continues")
    func failure() async throws {
        try await world.show(query)
        world.service.fail("page 2")
        var error: (any Error)?

        let load = try await world.begin {
            do { try await listing.loadNextPage() } catch let thrown { error = thrown }
        }
        try await world.interleaver.finish()
        await load.value

        #expect(error as? ServiceError == .unavailable)
        #expect(listing.rows.map(\.id) == [1, 2, 3])
        #expect(listing.failure?.code == "serviceUnavailable")
        #expect(!listing.isLoading)
        try await world.begin { try? await listing.loadNextPage() }
        #expect(listing.failure == nil)
        try await world.interleaver.finish()
        #expect(listing.rows.count == 6)
    }

    @Test("A superseded page load waits for the refresh, which includes its page")
    func superseded() async throws {
        try await world.show(query)
        var ended: [String] = []

        try await world.begin {
            try? await listing.loadNextPage()
            ended.append("more")
        }
        try await world.interleaver.open("page 2")
        world.service.createAtOnce(EntityDraft(name: "entity 0"))
        try await world.begin {
            try? await listing.loadAll(reloads: true)
            ended.append("refresh")
        }
        #expect(ended == [])
        try await world.interleaver.finish()

        #expect(Set(ended) == ["more", "refresh"])
        #expect(listing.rows.map(\.record.name) == (0...5).map { "entity \($0)" })
        #expect(listing.total == 8)
    }

    @Test("A deletion during a page load is applied to the loaded page")
    func changeWhileLoading() async throws {
        try await world.show(query)

        try await world.begin { try? await listing.loadAll(reloads: true) }
        try await world.interleaver.open("page 1")
        try await world.begin { _ = try? await world.model.delete(2) }
        try await world.answer("delete 2")
        try await world.interleaver.finish()

        #expect(listing.rows.map(\.id) == [1, 3, 4])
        #expect(listing.total == 6)
        #expect(listing.window?.isExact == true)
    }

    @Test("A refresh during constant changes stops after a limited number of attempts and loses no change")
    func changesAllTheTime() async throws {
        try await world.show(query)
        try await world.begin { try? await listing.loadAll(reloads: true) }

        for round in 1...EntityListing.attempts {
            try await world.interleaver.open("page 1")
            try await world.begin { [world] in
                _ = try? await world.model.update(1, EntityChanges(name: "entity 1 \(round)"))
            }
            try await world.answer("update 1")
            try await world.interleaver.open("page 1 answered")
        }

        #expect(world.interleaver.waiting == [])
        #expect(!listing.isLoading)
        #expect(listing.rows.first?.record.name == "entity 1 3")
        #expect(listing.window?.isExact == false)
    }

    @Test("After a deletion, loading the next page skips no entity")
    func pageAfterDeletion() async throws {
        try await world.show(query)
        try await world.begin { _ = try? await world.model.delete(1) }
        try await world.interleaver.finish()
        #expect(listing.rows.map(\.id) == [2, 3])

        try await next()

        #expect(listing.rows.map(\.id) == [2, 3, 4, 5, 6, 7])
        #expect(listing.total == 6)
    }

    @Test("Cancelling the last waiter cancels the load and leaves the rows; earlier ones leave it running")
    func cancelled() async throws {
        try await world.show(query)
        let commands = [
            try await world.begin { try? await listing.loadNextPage() },
            try await world.begin { try? await listing.loadNextPage() },
        ]

        try await world.interleaver.cancel(commands[0])
        #expect(listing.isLoading)
        try await world.interleaver.cancel(commands[1])

        #expect(!listing.isLoading)
        #expect(listing.failure == nil)
        #expect(listing.rows.map(\.id) == [1, 2, 3])
        #expect(world.interleaver.waiting == [])
    }

    @Test("Showing another list replaces one that is still loading")
    func anotherList() async throws {
        try await world.begin { try? await listing.show(query) }
        try await world.interleaver.open("page 1")
        try await world.begin { try? await listing.show(EntityQuery(size: 2, sort: .newest)) }
        try await world.interleaver.finish()

        #expect(listing.rows.map(\.id) == [7, 6])
        #expect(listing.window?.query.sort == .newest)
    }

    private func next() async throws {
        try await world.begin { try? await listing.loadNextPage() }
        try await world.interleaver.finish()
    }
}
