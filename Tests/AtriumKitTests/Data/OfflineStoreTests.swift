import AtriumKit
import TestSupport
import Testing

@Suite("Copies of answers")
struct OfflineStoreTests {
    private let storage = TemporaryDatabase(owner: "Notes", migrations: [OfflineStore.migration(1)])
    private let moment = Timestamp(microseconds: 1_000_000)

    private func copies(_ server: String? = "http://test", capacity: Int = 10) -> OfflineStore {
        OfflineStore(database: storage.database, server: server, capacity: capacity)
    }

    @Test("The last answer is known, with when it was given")
    func last() async throws {
        #expect(try await copies().last([Int].self, "list", of: "ada") == nil)
        try await copies().keep([1, 2], as: "list", of: "ada", at: moment)
        try await copies().keep([3], as: "list", of: "ada", at: moment.adding(seconds: 5))

        let known = try await copies().last([Int].self, "list", of: "ada")

        #expect(known?.answer == [3])
        #expect(known?.asOf == moment.adding(seconds: 5))
        #expect(try await copies().last([Int].self, "another", of: "ada") == nil)
    }

    @Test("Each account at each server has its own", arguments: [nil, "", "ada"])
    func owners(_ account: String?) async throws {
        let others = [nil, "", "ada", "grace"].filter { $0 != account }
        try await copies().keep("mine", as: "text", of: account, at: moment)

        for other in others {
            #expect(try await copies().last(String.self, "text", of: other) == nil)
            try await copies().keep("another", as: "text", of: other, at: moment)
            try await copies().forget("text", of: other)
        }
        #expect(try await copies("http://other").last(String.self, "text", of: account) == nil)
        try await copies("http://other").keep("other", as: "text", of: account, at: moment)

        #expect(try await copies().last(String.self, "text", of: account)?.answer == "mine")
    }

    @Test("Without a server nothing is kept")
    func noServer() async throws {
        try await copies(nil).keep(1, as: "count", of: nil, at: moment)
        try await copies(nil).forget("count", of: nil)

        #expect(try await copies(nil).last(Int.self, "count", of: nil) == nil)
        #expect(try await storage.count("answerCopies") == 0)
    }

    @Test("An answer whose shape changed is not known")
    func shape() async throws {
        try await copies().keep("one", as: "count", of: nil, at: moment)

        #expect(try await copies().last(Int.self, "count", of: nil) == nil)
    }

    @Test("What was not seen for longest goes first")
    func capacity() async throws {
        for key in 0..<4 {
            let seen = moment.adding(seconds: key == 0 ? 100 : key)
            try await copies(capacity: 3).keep(key, as: "\(key)", of: nil, at: seen)
        }

        #expect(try await copies().last(Int.self, "1", of: nil) == nil)
        for key in [0, 2, 3] {
            #expect(try await copies().last(Int.self, "\(key)", of: nil)?.answer == key)
        }
    }
}
