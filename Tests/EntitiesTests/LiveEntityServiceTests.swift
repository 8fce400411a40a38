import AtriumTesting
import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

@Suite("Live entity service")
struct LiveEntityServiceTests {
    private static let members = [
        "id": "7", "name": "\"Lamp\"", "category": "\"light\"", "notes": "null",
        "createdAt": "\"2026-11-22T02:50:20.123456Z\"", "updatedAt": "\"2026-11-22T03:00:00Z\"",
    ]

    /// The entity as JSON, with one member replaced, or omitted if `value` is nil.
    private static func entity(_ name: String? = nil, _ value: String? = nil) -> String {
        var members = members
        if let name { members[name] = value }
        return "{"
            + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            + "}"
    }

    private static let lamp = Entity(
        id: 7, name: "Lamp", category: "light", notes: nil,
        createdAt: Timestamp(microseconds: 1_795_315_820_123_456),
        updatedAt: Timestamp(microseconds: 1_795_316_400_000_000))

    // MARK: - Requests

    @Test("Each method sends its request with its arguments")
    func requests() async throws {
        let page = "{\"rows\":[\(Self.entity())],\"total\":41,\"page\":2,\"size\":20}"
        let api = ScriptedAPIClient(
            .json(page), .json(Self.entity()), .json("{\"rows\":[{\"name\":\"a\",\"count\":2}],\"total\":3}"),
            .json(Self.entity()), .json(Self.entity()), .json(Self.entity()))
        let service = liveEntityService(api)
        let query = EntityQuery(page: 2, sort: .nameDescending, category: "a/b", search: "x&y")

        #expect(try await service.page(query) == EntityPage(rows: [Self.lamp], total: 41))
        #expect(try await service.record(7) == Self.lamp)
        #expect(
            try await service.values(CategoryQuery(sort: .mostUsed, limit: 3))
                == CategoryList(rows: [EntityCategory(name: "a", count: 2)], total: 3))
        #expect(try await service.create(EntityDraft(name: "Lamp", category: "light")) == Self.lamp)
        #expect(try await service.update(7, EntityChanges(name: "Lamp", notes: "")) == Self.lamp)
        #expect(try await service.delete(7) == Self.lamp)

        #expect(
            api.calls == [
                "GET v1/entities page=2 size=20 sort=-name category=a/b search=x&y - optional -",
                "GET v1/entities/:id id=7 - optional -",
                "GET v1/categories sort=mostUsed limit=3 - optional -",
                #"POST v1/entities {"category":"light","name":"Lamp"} required withKey"#,
                #"PATCH v1/entities/:id id=7 {"name":"Lamp","notes":null} required withKey"#,
                "DELETE v1/entities/:id id=7 - required withKey",
            ])
    }

    @Test("A deletion that is answered with nothing was made")
    func emptyDeletion() async throws {
        let service = liveEntityService(ScriptedAPIClient(.json("null")))

        #expect(try await service.delete(7) == nil)
    }

    // MARK: - Answers

    @Test("An answer about another entity is invalid, and leaves it open whether a change was made")
    func another() async throws {
        let service = liveEntityService(
            ScriptedAPIClient(.json(Self.entity()), .json(Self.entity()), .json(Self.entity())))

        let errors = [
            await #expect(throws: APIError.self) { try await service.record(8) },
            await #expect(throws: APIError.self) { try await service.update(8, EntityChanges(name: "a")) },
            await #expect(throws: APIError.self) { try await service.delete(8) },
        ]

        for error in errors {
            #expect(error?.code == .invalidResponse && error?.outcome == .unknown)
            #expect(error?.message == "The server answered with entity 7 instead of 8.")
        }
    }

    @Test("An answer to a creation with another name leaves it open whether the entity was created")
    func createdAnother() async throws {
        for name in ["a", "Lamp 2", ""] {
            let service = liveEntityService(
                ScriptedAPIClient(.json(Self.entity("name", "\"\(name)\""))))

            let error = await #expect(throws: ServiceError.self) {
                try await service.create(EntityDraft(name: "Lamp"))
            }

            #expect(
                error == .answeredWithAnother(Entity(id: 7, name: name), insteadOf: Entity(name: "Lamp")))
            #expect(
                error?.message
                    == "It is not known whether 'Lamp' was created: the server answered with entity "
                    + "'\(name.isEmpty ? "7" : name)'.")
            #expect(error?.changeOutcome == .unknown)
            #expect(error?.explained(as: .create, of: Entity.self) as? ServiceError == error)
        }
    }

    @Test(
        "A created entity has the name that the server stored, which may be normalized",
        arguments: ["lamp", "LAMP", " Lamp "])
    func normalizedName(_ name: String) async throws {
        let service = liveEntityService(
            ScriptedAPIClient(.json(Self.entity("name", "\"\(name)\""))))

        #expect(try await service.create(EntityDraft(name: "Lamp")).name == name)
    }

    @Test("Optional members may be null or absent")
    func optional() async throws {
        let api = ScriptedAPIClient(.json(Self.entity("category", "null")), .json(Self.entity("category")))

        for _ in 1...2 { #expect(try await liveEntityService(api).record(7).category == nil) }
    }

    @Test(
        "A missing or mistyped member is an error that names it",
        arguments: ["id", "name", "createdAt", "updatedAt", "category", "notes"],
        [nil, "true", "[]", "{}"])
    func wrongMembers(_ name: String, _ value: String?) async throws {
        guard value != nil || !["category", "notes"].contains(name) else { return }
        let entity = Self.entity(name, value)
        let page = "{\"rows\":[\(entity)],\"total\":1}"
        let service = liveEntityService(ScriptedAPIClient(.json(entity), .json(page)))

        for call in [{ _ = try await service.record(7) }, { _ = try await service.page(EntityQuery()) }] {
            let error = await #expect(throws: APIError.self) { try await call() }

            #expect(error?.code == .invalidResponse)
            #expect(error?.message.contains(name) == true)
        }
    }

    @Test(
        "A malformed list is an error",
        arguments: [
            "{}", "{\"rows\":[]}", "{\"total\":0}", "{\"rows\":{},\"total\":0}", "[]",
            "{\"rows\":[null],\"total\":1}", "{\"rows\":[],\"total\":\"0\"}",
        ])
    func wrongLists(_ answer: String) async throws {
        let service = liveEntityService(ScriptedAPIClient(.json(answer), .json(answer)))

        let errors = [
            await #expect(throws: APIError.self) { try await service.page(EntityQuery()) },
            await #expect(throws: APIError.self) { try await service.values(CategoryQuery()) },
        ]

        #expect(errors.allSatisfy { $0?.code == .invalidResponse })
    }

    @Test("The error for an invalid time names its member, and not the value")
    func moments() async throws {
        let api = ScriptedAPIClient(.json(Self.entity("createdAt", "\"yesterday\"")))

        let error = await #expect(throws: APIError.self) { try await liveEntityService(api).record(7) }

        #expect(error?.message.contains("createdAt") == true)
        #expect(error?.message.contains("yesterday") == false)
    }

    // MARK: - Failures

    private static func failure(_ status: Int, problem: ProblemDetails? = nil) -> APIError {
        .serverError(code: status, message: "Status \(status).", status: status, problem: problem)
    }

    private static func service(_ error: APIError) -> ResourceRecordService<Entity> {
        liveEntityService(ScriptedAPIClient(.failure(error), .failure(error), .failure(error)))
    }

    @Test("Status 404 for an entity becomes 'not found', with its cause")
    func notFound() async throws {
        let service = Self.service(Self.failure(404))

        let errors = [
            await #expect(throws: ServiceError.notFound(7)) { try await service.record(7) },
            await #expect(throws: ServiceError.notFound(7)) {
                try await service.update(7, EntityChanges(name: "x"))
            },
            await #expect(throws: ServiceError.notFound(7)) { try await service.delete(7) },
        ]

        #expect(errors.allSatisfy { ($0?.cause as? APIError)?.status == 404 })
    }

    @Test("Status 404 for a list stays a server error")
    func wrongServer() async throws {
        let error = await #expect(throws: APIError.self) {
            try await Self.service(Self.failure(404)).page(EntityQuery())
        }

        #expect(error?.status == 404)
    }

    @Test("Status 422 becomes a validation error with its findings")
    func unprocessable() async throws {
        let problem = ProblemDetails(errors: [
            .init(field: "name", detail: "The name is taken."), .init(detail: "It is late."),
        ])
        let service = Self.service(Self.failure(422, problem: problem))
        let findings = [
            ValidationFinding("The name is taken.", field: "name"),
            ValidationFinding("It is late."),
        ]

        let error = await #expect(throws: ValidationError(findings: findings)) {
            try await service.create(EntityDraft(name: "x"))
        }

        #expect((error?.cause as? APIError)?.status == 422)
    }

    @Test("Status 422 without findings stays a server error")
    func unnamed() async throws {
        let error = await #expect(throws: APIError.self) {
            try await Self.service(Self.failure(422)).create(EntityDraft(name: "x"))
        }

        #expect(error?.status == 422)
    }

    @Test("A missing session suggests signing in", arguments: [true, false])
    func notAuthenticated(_ isTold: Bool) async throws {
        let error = isTold ? APIError.notAuthenticated("Nobody is signed in.") : Self.failure(401)

        let found = await #expect(throws: APIError.self) {
            try await Self.service(error).create(EntityDraft(name: "x"))
        }

        #expect(found?.code == .notAuthenticated)
        #expect(found?.hint == "session sign-in --email EMAIL")
    }

    @Test(
        "An unreachable server becomes 'service unavailable', with its cause and hint",
        arguments: [
            APIError.requestFailed(.serverUnreachable, "Nobody listens.", hint: "make server"),
            .requestFailed(.connectionLost, "It ended."), .requestFailed(.timedOut, "It took too long."),
            failure(502), failure(503), failure(504),
        ])
    func offline(_ cause: APIError) async throws {
        let error = await #expect(throws: ServiceError.self) {
            try await Self.service(cause).page(EntityQuery())
        }

        #expect(error?.code == .serviceUnavailable)
        #expect(error?.message == "The entity service does not answer.")
        #expect(error?.hint == cause.hint ?? "api")
        #expect((error?.cause as? APIError)?.message == cause.message)
    }

    @Test("Other errors are passed on unchanged", arguments: [400, 403, 409, 412, 413, 429, 500])
    func others(_ status: Int) async throws {
        let error = await #expect(throws: APIError.self) {
            try await Self.service(Self.failure(status)).record(7)
        }

        #expect(error?.status == status)
    }

    @Test("An error code with status 200 stays a server error")
    func errorCode() async throws {
        let error = APIError.serverError(code: 4711, message: "Not today.", status: 200)

        let found = await #expect(throws: APIError.self) { try await Self.service(error).record(7) }

        #expect(found?.errorCode == 4711)
        #expect(found?.message == "Not today.")
    }

    @Test("A cancelled request throws a cancellation, not a failure")
    func cancellation() async throws {
        let api = ScriptedAPIClient(.failure(CancellationError()))

        await #expect(throws: CancellationError.self) { try await liveEntityService(api).record(7) }
    }

    // MARK: - Files

    private let folder = TemporaryFolder()

    private func service(_ answers: ScriptedAPIClient.Answer) -> (
        ResourceRecordService<Entity>, ScriptedAPIClient
    ) {
        let api = ScriptedAPIClient(answers)
        return (liveEntityService(api, scratchParent: folder.path), api)
    }

    @Test("An import sends JSON lines also for a CSV file and leaves no temporary file")
    func importing() async throws {
        let (service, api) = service(.json("{\"created\":2}"))
        let file = try EntityFile(folder.write("notes,name\n\"a\nb\",Lamp\n,Vase\n".utf8, to: "a.csv"))

        let created = try await service.importEntities(from: file) { _ in }

        #expect(created == 2)
        #expect(api.calls == ["POST v1/entities/import application/x-ndjson required withKey"])
        #expect(api.uploads == ["{\"name\":\"Lamp\",\"notes\":\"a\\nb\"}\n{\"name\":\"Vase\"}\n"])
        #expect(folder.names() == ["a.csv"])
    }

    @Test("An invalid file is refused without a request")
    func invalid() async throws {
        let (service, api) = service(.json("{\"created\":1}"))
        let file = try EntityFile(folder.write("name\n\"\"\n".utf8, to: "a.csv"))

        await #expect(throws: ValidationError.self) { try await service.importEntities(from: file) { _ in } }

        #expect(api.calls == [])
    }

    @Test("The server's findings are reported with the line numbers of the file")
    func refused() async throws {
        let problem = ProblemDetails(errors: [
            .init(field: "name", line: 2, detail: "The name is taken."),
            .init(line: 3, detail: "There are too many."),
        ])
        let (service, _) = service(.failure(Self.failure(422, problem: problem)))
        let text = "name,notes\nLamp,\"one\ntwo\"\n\nVase,\nRug,\n"
        let file = try EntityFile(folder.write(text.utf8, to: "a.csv"))

        let error = await #expect(throws: ValidationError.self) {
            try await service.importEntities(from: file) { _ in }
        }

        #expect(
            error?.findings == [
                ValidationFinding("The name is taken.", field: "name", line: 5),
                ValidationFinding("There are too many.", line: 6),
            ])
        #expect((error?.cause as? APIError)?.status == 422)
        #expect(folder.names() == ["a.csv"])
    }

    @Test("An export converts the server's entities to the format of the file")
    func exporting() async throws {
        let (service, api) = service(.json(Self.entity() + "\n" + Self.entity("name", "\"a, b\"") + "\n"))
        let file = try EntityFile(folder.path("a.csv"))

        let written = try await service.exportEntities(to: file) { _ in }

        #expect(written == 2)
        #expect(api.calls == ["GET v1/entities/export - optional -"])
        #expect(
            contents(file.path) == Array("name,category,notes\r\nLamp,light,\r\n\"a, b\",light,\r\n".utf8))
        #expect(folder.names() == ["a.csv"])
    }

    @Test("A failed export leaves the existing file unchanged")
    func failedExport() async throws {
        let path = folder.write("before".utf8, to: "a.csv")
        let half = Self.entity() + "\n" + Self.entity().dropLast(5)
        for answer in [.failure(Self.failure(503)), .json(String(half))] as [ScriptedAPIClient.Answer] {
            let (service, _) = service(answer)

            await #expect(throws: (any Error).self) {
                try await service.exportEntities(to: replacing(path)) { _ in }
            }
        }

        #expect(contents(path) == Array("before".utf8))
        #expect(folder.names() == ["a.csv"])
    }
}
