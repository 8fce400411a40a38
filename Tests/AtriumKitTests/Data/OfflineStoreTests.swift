import AtriumKit
import AtriumTesting
import TestSupport
import Testing

@Suite("Offline store")
struct OfflineStoreTests {
    private let storage = TemporaryDatabase(owner: "Notes", migrations: [OfflineStore.migration(1)])
    private let clock = FixedClock()
    private let log = RecordingLog()

    private func store(_ server: String? = "http://test", capacity: Int = 10) -> OfflineStore {
        OfflineStore(
            database: storage.database, server: server, clock: clock, logger: log.logger, capacity: capacity)
    }

    @Test("The latest answer is returned, with the time when it was saved")
    func last() async throws {
        #expect(await store().value([Int].self, for: "list", account: "ada") == nil)
        await store().save([1, 2], for: "list", account: "ada")
        clock.advance(seconds: 5)
        await store().save([3], for: "list", account: "ada")
        let seen = clock.now()
        clock.advance(seconds: 5)

        #expect(await store().value([Int].self, for: "list", account: "ada") == Stale([3], asOf: seen))
        #expect(await store().value([Int].self, for: "another", account: "ada") == nil)
    }

    @Test("Answers are stored separately for each account and server", arguments: [nil, "", "ada"])
    func owners(_ account: String?) async throws {
        let others = [nil, "", "ada", "grace"].filter { $0 != account }
        await store().save("mine", for: "text", account: account)

        for other in others {
            #expect(await store().value(String.self, for: "text", account: other) == nil)
            await store().save("another", for: "text", account: other)
            await store().updateAll(String.self, prefix: "t", account: other) { $0 += "!" }
            await store().remove("text", account: other)
        }
        #expect(await store("http://other").value(String.self, for: "text", account: account) == nil)
        await store("http://other").save("other", for: "text", account: account)

        #expect(await store().value(String.self, for: "text", account: account)?.value == "mine")
    }

    @Test("Without a server nothing is saved")
    func noServer() async throws {
        for store in [store(nil), .none] {
            await store.save(1, for: "count", account: nil)
            await store.remove("count", account: nil)

            #expect(await store.value(Int.self, for: "count", account: nil) == nil)
        }
        #expect(try await storage.count("answerCopies") == 0)
    }

    @Test("An answer that can't be decoded is not returned")
    func shape() async throws {
        await store().save("one", for: "count", account: nil)

        #expect(await store().value(Int.self, for: "count", account: nil) == nil)
        #expect(await store().values(Int.self, prefix: "c", account: nil).isEmpty)
    }

    @Test("A full store removes the oldest answer")
    func capacity() async throws {
        for key in 0..<4 {
            await store(capacity: 3).save(key, for: "\(key)", account: nil)
            clock.advance(seconds: 1)
        }

        #expect(await store().value(Int.self, for: "0", account: nil) == nil)
        for key in [1, 2, 3] {
            #expect(await store().value(Int.self, for: "\(key)", account: nil)?.value == key)
        }
    }

    @Test("Values are read and updated by key prefix; an update can be limited to values with a given text")
    func prefix() async throws {
        for (key, value) in [("list/a", ["x": 1]), ("list/b", ["y": 2]), ("other", ["x": 3])] {
            await store().save(value, for: key, account: nil)
            clock.advance(seconds: 1)
        }
        let seen = clock.now().adding(seconds: -3)

        await store().updateAll([String: Int].self, prefix: "list/", containing: "\"x\"", account: nil) {
            $0["x"] = 10
        }

        let values = await store().values([String: Int].self, prefix: "list/", account: nil)
        #expect(values.map(\.value) == [["y": 2], ["x": 10]])
        #expect(values.last?.asOf == seen)
        #expect(await store().value([String: Int].self, for: "other", account: nil)?.value == ["x": 3])
    }

    @Test("A failing database is logged as a warning, and no error is thrown")
    func failure() async throws {
        let broken = TemporaryDatabase(owner: "Notes", migrations: [])
        let store = OfflineStore(
            database: broken.database, server: "http://test", clock: clock, logger: log.logger)

        await store.save(1, for: "count", account: nil)

        #expect(await store.value(Int.self, for: "count", account: nil) == nil)
        #expect(log.messages.count == 1)
        #expect(log.messages[0].hasPrefix("warning: No offline copy could be saved: "))
    }
}

@Suite("Offline list")
struct OfflineListTests {
    private struct Item: Identifiable, Codable, Equatable {
        let id: Int
        var name = ""
    }

    private let moment = Timestamp(microseconds: 0)

    private func items(_ ids: [Int]) -> [Item] { ids.map { Item(id: $0) } }

    @Test("Saved pages are combined; a range with a missing part returns nil")
    func pages() {
        var list = OfflineList<Item>()
        list.add(items([1, 2]), offset: 0, size: 2, total: 5, at: moment)
        list.add(items([3, 4]), offset: 2, size: 2, total: 5, at: moment.adding(seconds: 1))

        #expect(list.page(offset: 1, size: 2) == Stale(items([2, 3]), asOf: moment))
        #expect(list.page(offset: 4, size: 2) == nil)
        #expect(list.all == nil)
        list.add(items([5]), offset: 4, size: 2, total: 5, at: moment)
        #expect(list.all?.value.map(\.id) == [1, 2, 3, 4, 5])
    }

    @Test("Removing an element shifts the following ones; a page with another total discards the others")
    func changes() {
        var list = OfflineList<Item>()
        list.add(items([1, 2, 3]), offset: 0, size: 3, total: 3, at: moment)
        list.update(Item(id: 3, name: "new"))
        list.remove(2)

        #expect(list.all?.value == [Item(id: 1), Item(id: 3, name: "new")])
        #expect(list.total == 2)
        list.add(items([9]), offset: 0, size: 1, total: 3, at: moment)
        #expect(list.page(offset: 1, size: 1) == nil)
        #expect(list.element(3) == nil && list.element(9)?.value == Item(id: 9))
    }
}
