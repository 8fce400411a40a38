import AtriumTesting
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit

@Suite("Screens of records")
@MainActor
struct RecordScreenTests {
    private let container: TestContainer
    private var repository: RecordRepository<Book> { get throws { try container.repository() } }

    init() throws {
        container = try TestContainer(LibraryModule.self)
    }

    private func form(_ id: Int? = nil) throws -> RecordForm<Book> {
        try container.viewModel(RecordFormViewModel<Book>.self, id).form
    }

    private func list(_ destination: RecordListDestination<Book> = .init()) throws -> RecordListViewModel<
        Book
    > {
        try container.viewModel(RecordListViewModel<Book>.self, destination)
    }

    /// Changes the title of the first book, as another user does.
    private func renameElsewhere(_ title: String) async throws {
        let base = try await repository.record(1)
        var other = base
        other.title = title
        _ = try await repository.update(other, from: base)
    }

    @Test("A list has a link for each page, order, search and filter, which is read back")
    func links() async throws {
        var query = RecordQuery<Book>()
        (query.page, query.sort, query.search) = (2, RecordSort("-copies", of: Book.self), "a b")
        query.filters = ["author": "Ada & co", "binding": "paperback"]

        let link = try RecordListDestination(query).link()

        #expect(
            link.description
                == "books?page=2&sort=-copies&author=Ada%20%26%20co&binding=paperback&search=a%20b")
        #expect(try RecordListDestination<Book>(link: link)?.query() == query)
        #expect(try RecordListDestination(RecordQuery<Book>()).link().description == "books")
        #expect(throws: (any Error).self) { try RecordListDestination<Book>(link: Link("books?titel=x")) }
    }

    @Test("A list that fails shows the reason, and rows that were loaded stay")
    func states() async throws {
        let list = try list().list
        #expect(list.state.isLoading)
        container.mock("BookService")?.scenario = MockScenario(.error)
        await #expect(throws: ServiceError.self) { try await list.load() }
        #expect(list.state.failure?.code == .serviceUnavailable)

        container.mock("BookService")?.scenario = MockScenario()
        try await list.load()
        container.mock("BookService")?.scenario = MockScenario(.error)
        await #expect(throws: ServiceError.self) { try await list.load(reloads: true) }

        #expect(list.rows.count == 4)
        container.mock("BookService")?.scenario = MockScenario()
        var query = list.query
        query.search = "nothing"
        try await list.show(RecordListDestination(query))
        #expect(list.state.word == "empty")
    }

    @Test("A page before the first or after the last one is refused, and the list stays")
    func pages() async throws {
        let list = try list().list
        try await list.load()

        await #expect(throws: ServiceError.noPageBeforeFirst) { try await list.previous() }
        await #expect(throws: ValidationError.self) { try await list.jump(to: 0) }
        await #expect(throws: ServiceError.noPageAfter(1)) { try await list.next() }
        var query = list.query
        query.page = 0
        await #expect(throws: ValidationError.self) { try await list.show(RecordListDestination(query)) }
        try await list.jump(to: 9)
        #expect(list.rows.isEmpty && list.total == 4)

        try await list.previous()

        #expect(list.query.page == 1 && list.rows.count == 4)
    }

    @Test("A list follows the changes of its records")
    func changes() async throws {
        let list = try list().list
        try await list.load()

        let created = try await repository.create(Book(title: "Aaa"))
        await eventually("the list has the new record") { list.rows.first?.id == created.id }
        try await repository.delete(created.id)

        await eventually("the list is as before") { list.total == 4 }
    }

    @Test("What was filled in stays when another field changes, and is saved without it")
    func rebasing() async throws {
        let form = try form(1)
        try await form.load()
        try form.set("copies", to: "9")
        try await renameElsewhere("Dune II")

        try await form.load()
        #expect(form.draft.title == "Dune II" && form.draft.copies == 9 && form.problems.isEmpty)

        let saved = try await form.save()
        #expect(saved.title == "Dune II" && saved.copies == 9)
    }

    @Test("A change of the same field by another user is said, and saving again keeps one's own")
    func conflict() async throws {
        let form = try form(1)
        try await form.load()
        try form.set("title", to: "Mine")
        try await renameElsewhere("Theirs")

        await #expect { try await form.save() } throws: { ($0 as? ServiceError)?.code == .changedMeanwhile }

        #expect(form.problems == ["title": "The stored title is 'Theirs' now."])
        #expect(form.draft.title == "Mine")
        #expect(try await form.save().title == "Mine")
    }

    @Test("A change by another user between two processes is said, and the save refused once")
    func conflictAfterRestart() async throws {
        let form = try form(1)
        try await form.load()
        try form.set("title", to: "Mine")
        try form.set("copies", to: "9")
        try await renameElsewhere("Theirs")
        let later = try self.form(1)
        later.restore(form.savedState)

        try await later.load()

        #expect(later.problems == ["title": "The stored title is 'Theirs' now."])
        await #expect { try await later.save() } throws: { ($0 as? ServiceError)?.code == .changedMeanwhile }
        #expect(try await repository.record(1).title == "Theirs")
        #expect(try await later.save().title == "Mine")
    }

    @Test("A refused save says what is stored, and is refused again in another process")
    func conflictAfterRefusal() async throws {
        let form = try form(1)
        try await form.load()
        try form.set("title", to: "Mine")
        try await renameElsewhere("Theirs")
        let error = await #expect(throws: ServiceError.self) { try await form.save() }
        #expect(
            error?.message == "The book was changed meanwhile. The stored title is 'Theirs' now.")
        let later = try self.form(1)
        later.restore(form.savedState)

        try await later.load()

        #expect(later.problems == ["title": "The stored title is 'Theirs' now."])
        await #expect(throws: ServiceError.self) { try await later.save() }
        // One that was refused in this process is not refused again when the form is shown again.
        try await later.load()
        #expect(try await later.save().title == "Mine")
    }

    @Test("A refused text does not answer a conflict: the save is refused once, and what is stored stays")
    func conflictAfterRefusedText() async throws {
        let form = try form(1)
        try await form.load()
        try form.set("title", to: "Mine")
        try await renameElsewhere("Theirs")
        try await form.load()

        #expect(throws: ValidationError.self) { try form.set("title", to: "") }

        let error = await #expect(throws: ServiceError.self) { try await form.save() }
        #expect(error?.message == "The book was changed meanwhile. The stored title is 'Theirs' now.")
        #expect(try await repository.record(1).title == "Theirs")
        #expect(try await form.save().title == "Mine")
    }

    @Test("A conflict ends when the other change is taken back")
    func revertedConflict() async throws {
        let form = try form(1)
        try await form.load()
        try form.set("title", to: "Mine")
        try await renameElsewhere("Theirs")
        try await form.load()
        #expect(form.problems == ["title": "The stored title is 'Theirs' now."])
        try await renameElsewhere("Dune")

        try await form.load()

        #expect(form.problems == [:])
        #expect(try await form.save().title == "Mine")
    }

    @Test("Other lists and records follow a deletion of all, and an import")
    func followed() async throws {
        let (other, commanding) = (try list(), try list())
        try await other.load()
        try await commanding.load()
        let record = try container.viewModel(RecordViewModel<Book>.self, 1)
        try await record.load()

        _ = try await commanding.deleteAll()

        await eventually("the other list is empty") { other.list.rows.isEmpty && other.list.total == 0 }
        await eventually("the record is gone") { record.record == nil }
        let folder = TemporaryFolder()
        folder.write("title\nNew\n".utf8, to: "a.csv")
        _ = try await commanding.importFile(folder.path("a.csv"), nil, marksFormulas: false)
        await eventually("the other list has the new one") { other.list.rows.map(\.title) == ["New"] }
    }

    @Test("A deletion of all refuses a filter that the list does not have")
    func wrongFilter() async throws {
        var query = RecordQuery<Book>()
        query.filters = ["titel": "x"]

        let (repository, wrong) = (try repository, query)
        await #expect(throws: ValidationError.self) { _ = try await repository.deleteAll(wrong) { _ in } }

        #expect(try await repository.total() == 4)
    }

    @Test("The form of a deleted record shows what was filled in, and can be left")
    func deleted() async throws {
        let form = try form(1)
        try await form.load()
        try form.set("title", to: "Mine")
        try await repository.delete(1)
        let later = try container.viewModel(RecordFormViewModel<Book>.self, Int?.some(1))
        later.restore(form.savedState)

        try await later.load()

        let shown = JSONValue.object(RecordFormView(viewModel: later).body.json).serialized
        #expect(shown.contains("The book was deleted.") && shown.contains("Mine"))
        #expect(later.leaveObjections.map(\.hint) == ["reset"])
        let result = try later.reset()
        #expect(result.message == "The book is gone." && later.leaveObjections.isEmpty)
        await #expect(throws: ServiceError.self) { try await self.form(1).load() }
    }

    @Test("Of two changes that start from one value, the second is refused, even with the same result")
    func relativeChanges() async throws {
        let base = try await repository.record(1)
        var lent = base
        lent.copies -= 1

        _ = try await repository.update(lent, from: base)

        await #expect { try await repository.update(lent, from: base) } throws: {
            ($0 as? ServiceError)?.code == .changedMeanwhile
        }
    }

    @Test("Rules judge a record as it is stored, not as a form has read it")
    func rulesOfPresent() async throws {
        let service: any RecordService<Book> = try container.service()
        let repository = RecordRepository(
            service: service,
            rules: RecordRules { rules in
                rules.beforeUpdate = { _, former in
                    if former.isLent { throw ServiceError("lent", "It is lent.") }
                }
            }, clock: FixedClock())
        let base = try await repository.record(1)
        var (renamed, lent) = (base, base)
        renamed.title = "Other"
        lent.isLent = true
        _ = try await repository.update(lent, from: base)

        await #expect { try await repository.update(renamed, from: base) } throws: {
            ($0 as? ServiceError)?.code == "lent"
        }
    }

    @Test("Rules see what concurrent changes have stored")
    func concurrentRules() async throws {
        let service: any RecordService<Book> = try container.service()
        let repository = RecordRepository(
            service: service,
            rules: RecordRules { rules in
                rules.beforeCreate = { _ in
                    let total = try await service.page(RecordQuery()).total
                    if total > 4 { throw ServiceError("full", "The library is full.") }
                }
            }, clock: FixedClock())

        let first = Task { try await repository.create(Book(title: "A")) }
        let second = Task { try await repository.create(Book(title: "B")) }
        let results = [await first.result, await second.result]

        #expect(results.filter { (try? $0.get()) != nil }.count == 1)
        #expect(try await repository.page(RecordQuery()).total == 5)
    }

    @Test(
        "Screens that are left out are offered by no action, and filters are members in JSON")
    func omittedScreens() async throws {
        let list = try list()
        var query = list.list.query
        query.filters = ["binding": "paperback"]
        try await list.list.show(RecordListDestination(query))
        let names = { (screens: RecordScreens<Book>) in
            RecordListView(viewModel: list, screens: screens).actions.map(\.name)
        }
        var screens = RecordScreens<Book>()

        #expect(Set(names(screens)).isSuperset(of: ["new", "filter", "create"]))
        screens.omitted = [.new, .values, .edit]

        #expect(Set(names(screens)).isDisjoint(with: ["new", "filter"]))
        let json = RecordListView(viewModel: list).body.json
        #expect(json["binding"] == "paperback")
        #expect(json["state"] == "content")
        guard case .array(let rows)? = json["rows"], case .object(let row)? = rows.first else {
            Issue.record("There are no rows.")
            return
        }
        #expect(row["notes"] == .null && row["code"] == nil)
    }

    @Test("What was filled in survives a restart, without secrets, even if it equals a default")
    func savedState() async throws {
        let form = try form(1)
        try await form.load()
        #expect(form.savedState == nil && form.leaveObjections.isEmpty)
        try form.set("copies", to: "1")
        try form.set("author", to: "")
        try form.set("code", to: "secret")

        #expect(
            form.savedState
                == RecordInput(
                    texts: ["copies": "1", "author": ""], stored: ["copies": "3", "author": "Frank Herbert"]))
        let later = try self.form(1)
        later.restore(form.savedState)
        try await later.load()

        #expect(later.draft.copies == 1 && later.draft.author == nil && later.draft.title == "Dune")
        #expect(later.leaveObjections.map(\.hint) == ["save"])
        try later.reset()
        #expect(later.savedState == nil)
    }

    @Test("Fields that users can't change, or that are not there, are refused by name")
    func readOnly() throws {
        let form = try form()

        for name in ["isLent", "titel", "id"] {
            #expect(throws: ValidationError.self) { try form.set(name, to: "yes") }
        }
    }

    @Test("No screen shows a secret")
    func secrets() async throws {
        let secret = "1234"
        let list = try list()
        try await list.load()
        let detail = try container.viewModel(RecordViewModel<Book>.self, 4)
        try await detail.load()
        let form = try container.viewModel(RecordFormViewModel<Book>.self, Int?.some(4))
        try await form.load()

        for content in [
            RecordListView(viewModel: list).body, RecordView(viewModel: detail).body,
            RecordFormView(viewModel: form).body,
        ] {
            #expect(content.json["title"] != nil)
            #expect(!JSONValue.object(content.json).serialized.contains(secret))
        }
    }

    @Test("A value of another program that breaks a rule is shown, and marked")
    func brokenValues() async throws {
        let storage = TemporaryDatabase(owner: "Library", migrations: LibraryModule.migrations)
        let service = TableRecordService<Book>(database: storage.database, clock: FixedClock())
        _ = try await service.create(Book(title: "A", copies: -5))
        let detail = RecordViewModel(
            id: 1, model: RecordModel(repository: RecordRepository(service: service, clock: FixedClock())),
            navigator: StationaryNavigator())

        try await detail.load()

        let json = RecordView(viewModel: detail).body.json
        #expect(json["copies"] == -5)
        #expect("\(String(describing: json["notices"]))".contains("The copies must be at least 1, not -5."))
    }
}

@Suite("Files of records")
@MainActor
struct RecordFileTests {
    private let folder = TemporaryFolder()
    private let container: TestContainer

    init() throws {
        container = try TestContainer(LibraryModule.self)
    }

    private func file(_ name: String, _ text: String) throws -> RecordFile<Book> {
        folder.write(text.utf8, to: name)
        return try RecordFile(folder.path(name), format: nil)
    }

    @Test("What is exported is imported again, in both formats", arguments: ["a.csv", "a.jsonl"])
    func roundTrip(_ name: String) async throws {
        let repository: RecordRepository<Book> = try container.repository()
        let exported = try RecordFile<Book>(folder.path(name), format: nil)
        #expect(try await repository.exportAll(to: exported) { _ in } == 4)
        for id in 1...4 { try await repository.delete(id) }

        #expect(try await repository.importAll(from: exported) { _ in } == 4)

        let titles = try await repository.page(RecordQuery()).rows
        #expect(titles.map(\.title) == ["Dune", "Emma", "Persuasion", "Łąka"])
        // Read-only and secret fields are neither imported nor exported.
        #expect(titles.allSatisfy { !$0.isLent && $0.code == nil })
        #expect(titles.map(\.notes) == [nil, nil, nil, "Two\nlines"])
        await #expect { try await repository.exportAll(to: exported) { _ in } } throws: {
            ($0 as? ServiceError)?.code == .fileExists
        }
    }

    @Test(
        "A file with mistakes names each with its line, and nothing is imported",
        arguments: [
            ("a.csv", "", "Line 1: The file is empty; its first line names the columns: title,"),
            ("b.csv", "title,pages\nA,1\n", "Line 1, column 7: There is no field 'pages'"),
            ("c.csv", "title,TITLE\nA,B\n", "Line 1, column 7: There are two columns 'TITLE'."),
            ("d.csv", "title,copies\nA,1\n,x\n", "Line 3: The copies must be a whole number, not 'x'."),
            ("e.csv", "title\nA,B\n", "Line 2: The row has 2 fields, but the header 1."),
            ("f.jsonl", "{\"title\":\"A\"}\n{\"title\":5}\n", "Line 2: The title must be a text, not 5."),
            ("g.jsonl", "[]\n", "Line 1: An object is expected."),
            ("h.jsonl", "{\"copies\":1}\n", "Line 1: The title is empty."),
            ("i.jsonl", "{\"title\":\"A\",\"x\":1}\n", "Line 1: There is no field 'x'"),
            ("j.jsonl", "{\n", "Line 1: The line is not valid JSON."),
        ])
    func mistakes(_ name: String, _ text: String, _ message: String) async throws {
        let repository: RecordRepository<Book> = try container.repository()
        let file = try file(name, text)

        await #expect { try await repository.importAll(from: file) { _ in } } throws: { error in
            guard let error = error as? ValidationError else { return false }
            return error.code == "invalidFile" && error.message.contains(message)
        }

        #expect(try await repository.page(RecordQuery()).total == 4)
    }

    @Test("A file whose name tells no format needs one")
    func formats() throws {
        #expect(throws: ServiceError.self) { try RecordFile<Book>("books.txt", format: nil) }
        #expect(try RecordFile<Book>("books.txt", format: .csv).format == .csv)
    }
}

@Suite("Records of a server")
struct ResourceRecordTests {
    private let api = ScriptedAPIClient(tokens: AccessTokens(id: "1", accessToken: "a"))
    private var service: ResourceRecordService<Book> { ResourceRecordService(api: api, path: "v1/books") }

    @Test("A list is asked for by page, order, search and filters")
    func list() async throws {
        api.answer("GET v1/books", #"{"rows": [{"id": 7, "title": "Dune", "shelf": 1}], "total": 21}"#)
        var query = RecordQuery<Book>()
        (query.page, query.search, query.filters) = (2, "d u", ["author": "Ada"])

        let page = try await service.page(query)

        #expect(page == RecordPage(rows: [Book(id: 7, title: "Dune")], total: 21))
        #expect(
            api.calls.map(\.description) == ["GET v1/books?page=2&size=20&sort=title&author=Ada&search=d u"])
    }

    @Test("A change sends the changed fields only, also one that only rules and actions change")
    func patch() async throws {
        api.reply("PATCH v1/books/:id") { call in
            #expect(call.body == #"{"author":null,"copies":4,"isLent":true}"#)
            return #"{"id": 7, "title": "Dune", "copies": 4}"#
        }
        let base = Book(id: 7, title: "Dune", author: "Ada")
        var book = base
        (book.author, book.copies, book.isLent) = (nil, 4, true)

        #expect(
            try await service.update(7, RecordChanges(to: book, from: base))
                == Book(id: 7, title: "Dune", copies: 4))
    }

    @Test("An answer about another record is refused")
    func another() async throws {
        api.answer("GET v1/books/:id", #"{"id": 8, "title": "x"}"#)

        await #expect(throws: (any Error).self) { try await service.record(7) }
    }
}
