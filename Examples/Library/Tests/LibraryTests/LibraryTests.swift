import AtriumKit
import AtriumTesting
import Testing

@testable import Library

/// The clock of tests stands at 2026-01-01; of the samples, book 1 is late since 2025-12-15.
@Suite("The library") @MainActor
struct LibraryTests {
    private let container: TestContainer
    private let loans: RecordRepository<Loan>

    init() throws {
        container = try TestContainer(LibraryModule.self)
        loans = try container.repository()
    }

    private func lend(_ book: Int, to member: Int, due: String? = nil) async throws -> Loan {
        try await loans.create(Loan(book: book, member: member, due: due.flatMap { Day($0) }))
    }

    private func end(_ id: Int) async throws -> Loan {
        let loan = try await loans.record(id)
        var ended = loan
        ended.status = .returned
        return try await loans.update(ended, from: loan)
    }

    @Test("It keeps what every module has to")
    func conforms() async throws { try await ModuleConformance.run(LibraryModule.self) }

    @Test("A loan is due after 14 days, or on the day given")
    func lend() async throws {
        let loan = try await lend(3, to: 3)

        #expect((loan.lent, loan.due) == (Day("2026-01-01"), Day("2026-01-15")))
        #expect(try await lend(4, to: 3, due: "2026-02-28").due == Day("2026-02-28"))
    }

    @Test("A book that is out can't be lent, until it is returned")
    func lentTwice() async throws {
        let error = await #expect(throws: ServiceError.self) { try await lend(1, to: 3) }
        #expect(error?.message == "'Dune' is lent to Ada Lovelace.")

        _ = try await end(1)

        #expect(try await lend(1, to: 3).member == 3)
    }

    @Test("A member has three books at most")
    func limit() async throws {
        for book in 3...5 { _ = try await lend(book, to: 3) }
        _ = try await end(3)

        let error = await #expect(throws: ServiceError.self) { try await lend(2, to: 3) }
        #expect(error?.code == "tooManyLoans")

        _ = try await end(4)
        #expect(try await lend(2, to: 3).id == 7)
    }

    @Test("A book or a member that is not there can't be part of a loan; nor can a day before the lending")
    func wrong() async throws {
        for (book, member) in [(99, 1), (3, 99)] {
            let error = await #expect(throws: ValidationError.self) { try await lend(book, to: member) }
            #expect(error?.findings.first?.field == (book == 99 ? "book" : "member"))
        }
        await #expect(throws: ValidationError.self) { try await lend(3, to: 1, due: "2025-12-31") }
        #expect(try await loans.page(RecordQuery()).total == 3)
    }

    @Test(
        "The fine is 0.50 for each day after the due one", arguments: [(-1, 0), (0, 0), (1, 50), (30, 1_500)])
    func fine(_ days: Int, _ hundredths: Int) async throws {
        let loan = try await lend(3, to: 3)
        container.clock.advance(seconds: (14 + days) * 86_400)

        let ended = try await end(loan.id)

        #expect(ended.fine == Money(hundredths: hundredths))
        #expect(ended.returned == Day("2026-01-15")?.adding(days: days))
    }

    @Test("A loan that has ended stays as it is, and its form does not open")
    func ended() async throws {
        let loan = try await loans.record(2)
        var changed = loan
        changed.due = Day("2027-01-01")

        await #expect(throws: ServiceError.self) { try await loans.update(changed, from: loan) }
        await #expect(throws: ServiceError.self) {
            try await container.viewModel(RecordFormViewModel<Loan>.self, Int?.some(2)).load()
        }
    }

    @Test("A loan that is out is not deleted; nor is a book or a member while a loan refers to it")
    func delete() async throws {
        let books = try container.repository(RecordRepository<Book>.self)
        let members = try container.repository(RecordRepository<Member>.self)
        await #expect(throws: ServiceError.self) { try await books.delete(1) }
        await #expect(throws: ServiceError.self) { try await members.delete(1) }
        await #expect(throws: ServiceError.self) { try await loans.delete(1) }

        _ = try await end(1)
        await #expect(throws: ServiceError.self) { try await books.delete(1) }

        for id in [1, 2] { try await loans.delete(id) }
        #expect(try await books.delete(1).title == "Dune")
        #expect(try await members.delete(1).name == "Ada Lovelace")
    }

    @Test("The report adds up loans and fines")
    func report() async throws {
        let model = try container.viewModel(ReportViewModel.self)
        try await model.load()
        let before = try #require(model.report)
        #expect((before.books, before.members, before.open, before.returned) == (5, 3, 2, 1))
        #expect(before.late.map(\.title) == ["Dune"] && before.late.first?.borrower == "Ada Lovelace")
        #expect((before.charged, before.pending) == (Money(hundredths: 150), Money(hundredths: 850)))

        _ = try await end(1)
        try await model.load()

        let after = try #require(model.report)
        #expect((after.charged, after.pending) == (Money(hundredths: 1_000), Money(hundredths: 0)))
        #expect(after.late.isEmpty)
    }

    @Test(
        "At the prompt a book is lent and taken back, from environment local's tables too",
        arguments: [Environment.mock, .local])
    func prompt(_ environment: Environment) async throws {
        let host = try await TestHost(LibraryModule.self, environment: environment)
        if environment == .local {
            try await host.run("library/books create A B; library/books create C D; library/books create E F")
            try await host.run("library/members create Ada; library/members create Bob")
        }
        try await host.run("open library/books/3")

        #expect(try await host.run("lend 2").message?.hasPrefix("Lent") == true)
        let error = await #expect(throws: ServiceError.self) { try await host.run("lend 1") }
        #expect(error?.code == "isLent")
        #expect(try await host.run("return").json["borrower"] == .null)
    }

    @Test("A half-filled form is there after a restart")
    func restart() async throws {
        let host = try await TestHost(LibraryModule.self, environment: .local)
        try await host.run("open library/books/new; set title Emma; set price 7.5")

        try await host.restart()
        try await host.run("set author 'Jane Austen'; save")

        let book = try await host.run("library/books/1")
        #expect(book.json["title"] == "Emma" && book.json["price"] == 7.5)
    }

    @Test("In environment live the rules ask the server, and a loan is posted, then ended")
    func live() async throws {
        let api = ScriptedAPIClient(
            tokens: AccessTokens(id: "a", accessToken: "b", refreshToken: "c", expiresAt: nil))
        api.answer("GET v1/books/:id", #"{"id": 3, "title": "Emma", "author": "Jane Austen", "price": 12.5}"#)
        api.answer("GET v1/members/:id", #"{"id": 2, "name": "Ada"}"#)
        api.answer("GET v1/loans", #"{"rows": [], "total": 0}"#)
        api.answer(
            "POST v1/loans", #"{"id": 7, "book": 3, "member": 2, "due": "2026-01-15"}"#)
        api.answer("GET v1/loans/:id", #"{"id": 7, "book": 3, "member": 2, "due": "2026-01-15"}"#)
        api.answer(
            "PATCH v1/loans/:id", #"{"id": 7, "book": 3, "member": 2, "status": "returned", "fine": 2.5}"#)
        let host = try await TestHost(LibraryModule.self, environment: .live, api: api)

        try await host.run("library/loans create --book 3 --member 2")
        try await host.run("library/loans/7 return")

        let posted = #"{"book":3,"due":"2026-01-15","lent":"2026-01-01","member":2,"status":"open"}"#
        #expect(api.calls("POST v1/loans").map(\.body) == [posted])
        #expect(
            api.calls("PATCH v1/loans/:id").map(\.body) == [#"{"returned":"2026-01-01","status":"returned"}"#]
        )
    }
}
