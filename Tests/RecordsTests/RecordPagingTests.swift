import AtriumTesting
import Synchronization
import Testing

@testable import AtriumKit

/// Servers whose pages are not those of a list, each with the same 7 shelves.
@Suite("Pages of servers")
struct RecordPagingTests {
    struct Server: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let conventions: APIConventions
        /// Answers with rows, from the parameters of the request.
        let answer: @Sendable ([String: String]) -> String

        init(
            _ name: String, _ change: (inout APIConventions.Paging) -> Void,
            _ answer: @escaping @Sendable ([String: String]) -> String
        ) {
            (testDescription, self.answer) = (name, answer)
            conventions = APIConventions { change(&$0.paging) }
        }
    }

    static let all = (1...7).map { #"{"id": \#($0), "name": "s\#($0)"}"# }

    static func rows(_ range: Range<Int>) -> String {
        "[" + all[range.clamped(to: 0..<all.count)].joined(separator: ", ") + "]"
    }

    static func range(_ query: [String: String], size: Int? = nil) -> Range<Int> {
        let size = size ?? query["size"].flatMap { Int($0) } ?? 3
        let start =
            query["cursor"].flatMap { Int($0) } ?? ((query["page"].flatMap { Int($0) } ?? 1) - 1) * size
        return start..<(start + size)
    }

    static let servers = [
        Server("a link to the next page, no total", { ($0.totalMember, $0.nextMember) = (nil, "next") }) {
            let range = range($0)
            return #"{"rows": \#(rows(range)), "next": \#(range.upperBound < 7 ? "\"/more\"" : "null")}"#
        },
        Server("a list, no total", { ($0.totalMember, $0.rowsMember) = (nil, "") }) { rows(range($0)) },
        Server("all rows at once", { ($0.totalMember, $0.rowsMember, $0.sizeParameter) = (nil, "", nil) }) {
            _ in
            rows(0..<7)
        },
        Server("pages of 3, a total", { $0.sizeParameter = nil }) {
            #"{"rows": \#(rows(range($0, size: 3))), "total": 7}"#
        },
        Server(
            "a cursor", { ($0.cursorParameter, $0.nextMember, $0.totalMember) = ("cursor", "meta.next", nil) }
        ) {
            let range = range($0)
            let next = range.upperBound < 7 ? "\"\(range.upperBound)\"" : "null"
            return #"{"rows": \#(rows(range)), "meta": {"next": \#(next)}}"#
        },
        Server(
            "a cursor in a link, and a total", { ($0.cursorParameter, $0.nextMember) = ("cursor", "next") }
        ) {
            let range = range($0, size: 2)
            let next = range.upperBound < 7 ? "\"http://x/s?a=b&cursor=\(range.upperBound)#c\"" : "\"\""
            return #"{"rows": \#(rows(range)), "total": 7, "next": \#(next)}"#
        },
    ]

    @Test("Each page has its records, in any order of pages", arguments: servers, [1, 2, 3, 4, 20])
    func pages(_ server: Server, _ size: Int) async throws {
        let service = Self.service(server)
        func page(_ number: Int) async throws -> [Int] {
            var query = RecordQuery<Rack>()
            (query.page, query.size) = (number, size)
            return try await service.page(query).rows.map(\.id)
        }
        func expected(_ number: Int) -> [Int] { Array((1...7).dropFirst((number - 1) * size).prefix(size)) }

        for number in [1, 2, 3, 4, 5, 6, 7, 8, 2, 1, 7, 3, 9, 1, 4] {
            #expect(try await page(number) == expected(number), "page \(number)")
        }
        #expect(try await service.all(.everything).map(\.id) == Array(1...7))
    }

    @Test("A total is known if the server says it, or when the end was reached", arguments: servers)
    func totals(_ server: Server) async throws {
        let service = Self.service(server)
        var query = RecordQuery<Rack>()
        query.size = 2

        let first = try await service.page(query)
        query.page = 4
        let last = try await service.page(query)
        query.page = 9
        let none = try await service.page(query)

        let says = server.conventions.paging.totalMember != nil
        #expect(first.isTotalKnown == says || first.isTotalKnown && first.total == 7)
        #expect(first.total == (first.isTotalKnown ? 7 : 3))
        #expect(last.isTotalKnown && last.total == 7)
        #expect(none.rows == [] && none.isTotalKnown && none.total == 7)
    }

    @Test("The next page needs one request, where the server has pages of the same size")
    func requests() async throws {
        let server = Self.servers[4]
        let api = Self.api(server)
        let service = ResourceRecordService<Rack>(api: api, path: "v1/shelves")
        var query = RecordQuery<Rack>()
        query.size = 2

        for number in 1...4 {
            query.page = number
            _ = try await service.page(query)
        }

        #expect(
            api.calls.map { $0.description.drop { $0 != "?" } }
                == [
                    "?size=2&sort=name", "?cursor=2&size=2&sort=name", "?cursor=4&size=2&sort=name",
                    "?cursor=6&size=2&sort=name",
                ])
    }

    @Test("No request asks for more than 100 rows, where several can make a page")
    func most() async throws {
        let api = Self.api(Self.servers[4])
        var query = RecordQuery<Rack>()
        query.size = 300

        let page = try await ResourceRecordService<Rack>(api: api, path: "v1/shelves").page(query)

        #expect(page.rows.count == 7)
        #expect(api.calls.map { $0.description.drop { $0 != "?" } } == ["?size=100&sort=name"])
    }

    @Test("A server that ignores the number of a page, and says that another follows, is an error")
    func ignored() async throws {
        let server = Server("", { ($0.totalMember, $0.nextMember) = (nil, "next") }) { _ in
            #"{"rows": \#(Self.rows(0..<3)), "next": "/more"}"#
        }

        await #expect(throws: APIError.self) { try await Self.service(server).all(.everything) }
    }

    @Test("Cursors in a circle end, and a next page without a cursor is an error")
    func badCursors() async throws {
        let circle = Server(
            "", { ($0.cursorParameter, $0.nextMember, $0.totalMember) = ("cursor", "next", nil) }
        ) {
            let start = ["a": 2, "b": 4][$0["cursor"] ?? ""] ?? 0
            return
                #"{"rows": \#(Self.rows(start..<start + 2)), "next": "\#($0["cursor"] == "a" ? "b" : "a")"}"#
        }
        let more = Server(
            "", { ($0.cursorParameter, $0.nextMember, $0.totalMember) = ("cursor", "more", nil) }
        ) {
            _ in #"{"rows": \#(Self.rows(0..<2)), "more": true}"#
        }

        #expect(try await Self.service(circle).all(.everything).count == 6)
        await #expect(throws: APIError.self) { try await Self.service(more).page(RecordQuery()) }
    }

    @Test("A change, and a cursor that is no longer valid, let a list be read from its beginning")
    func anew() async throws {
        let api = Self.api(Self.servers[4])
        let service = ResourceRecordService<Rack>(api: api, path: "v1/shelves")
        var query = RecordQuery<Rack>()
        (query.size, query.page) = (2, 3)
        _ = try await service.page(query)
        let before = api.calls.count
        _ = try await service.page(query)
        #expect(api.calls.count == before + 1)

        try? await api.use(AccessTokens(id: "1", accessToken: "a"))
        api.answer("DELETE v1/shelves/:id", "null")
        _ = try await service.delete(7)
        _ = try await service.page(query)
        #expect(api.calls.count == before + 1 + 1 + 3)
    }

    @Test("Only a refused cursor lets it be read from its beginning", arguments: [400, 410, 401, 500])
    func refused(_ status: Int) async throws {
        let api = ScriptedAPIClient(conventions: Self.servers[4].conventions)
        let isRefused = Mutex(false)
        api.reply("GET v1/shelves") { call in
            let query = Self.parameters(call)
            if query["cursor"] == "4", isRefused.withLock({ $0 }) {
                isRefused.withLock { $0 = false }
                throw APIError.serverError(code: status, message: "It is refused.", status: status)
            }
            return Self.servers[4].answer(query)
        }
        let service = ResourceRecordService<Rack>(api: api, path: "v1/shelves")
        var query = RecordQuery<Rack>()
        (query.size, query.page) = (2, 3)
        _ = try await service.page(query)
        isRefused.withLock { $0 = true }
        let before = api.calls.count

        let again = try? await service.page(query)

        let isRead = [400, 410].contains(status)
        #expect(again?.rows.map(\.id) == (isRead ? [5, 6] : nil))
        #expect(api.calls.count == before + (isRead ? 4 : 1))
    }

    @Test("Deleting a record on another page leaves a list whose end is not known")
    func deletion() {
        var window = RecordWindow<Rack>(
            RecordQuery(), Stale(RecordPage(rows: [Rack(id: 1, name: "s1")], atLeast: 2)))

        window.apply(
            SettledChange<Rack>(id: 1, change: .deleted(Rack(id: 9, name: "s9")), mayHaveChanged: false))

        #expect(window.hasMore && !window.isExact)
    }

    @MainActor
    @Test("A list says that there are more, and shows the next pages until the end")
    func list() async throws {
        let model = Self.model(Self.servers[4])
        var destination = RecordListDestination<Rack>()
        destination.size = 3
        let list = RecordList<Rack>(destination, model: model)

        try await list.load()
        #expect(list.hasMore && !list.isTotalKnown && list.total == 4)
        try await list.next()
        #expect(list.rows.map(\.id) == [4, 5, 6] && list.hasMore)
        try await list.more()
        #expect(list.rows.map(\.id) == [4, 5, 6, 7])
        #expect(!list.hasMore && list.isTotalKnown && list.total == 7)
        try await list.previous()
        #expect(list.rows.map(\.id) == [1, 2, 3] && list.hasMore)
    }

    @MainActor private static func model(_ server: Server) -> RecordModel<Rack> {
        RecordModel(repository: RecordRepository(service: service(server), clock: FixedClock()))
    }

    private static func service(_ server: Server) -> ResourceRecordService<Rack> {
        ResourceRecordService(api: api(server), path: "v1/shelves")
    }

    private static func api(_ server: Server) -> ScriptedAPIClient {
        let api = ScriptedAPIClient(conventions: server.conventions)
        api.reply("GET v1/shelves") { call in
            server.answer(parameters(call))
        }
        return api
    }

    private static func parameters(_ call: ScriptedCall) -> [String: String] {
        let query = call.description.split(separator: "?").dropFirst().first ?? ""
        let pairs = query.split(separator: "&").map { $0.split(separator: "=").map(String.init) }
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") })
    }
}

struct Rack: Record {
    var id = 0
    var name = ""

    static let fields: Fields<Rack> = [RecordField("name", "Its name", \.name, .length(1...40), .sorted)]
}
