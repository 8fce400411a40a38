import AtriumTesting
import Synchronization
import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

/// What every implementation of the entity service promises for files.
@MainActor
@Suite("Entity service contract: import and export", .timeLimit(.minutes(5)))
struct EntityFileContractTests {
    private let clock = FixedClock()
    private let folder = TemporaryFolder()

    private func file(_ name: String, _ text: String) throws -> EntityFile {
        folder.write(text.utf8, to: name)
        return try EntityFile(folder.path(name))
    }

    @Test("What changes entities in PostgreSQL can be run again after a conflict")
    func repetition() async throws {
        let service = try Store.onPostgreSQL(clock: clock, repeatsWrites: true)
        let csv = try file("a.csv", "name,category\nLamp,light\nVase,\nRug,\n")

        let made = try await service.create(EntityDraft(name: "Chair"))
        let count = try await service.importEntities(from: csv) { _ in }
        _ = try await service.update(made.id, EntityChanges(name: "Stool"))
        #expect(count == 3)
        #expect(try await service.names(EntityQuery()) == ["Lamp", "Rug", "Stool", "Vase"])

        _ = try await service.delete(made.id)
        #expect(try await service.deleteAll(EntityQuery(category: "light")) { _ in } == 1)
        #expect(try await service.names(EntityQuery()) == ["Rug", "Vase"])
    }

    @Test("An import creates an entity for each row, in the order of the file", arguments: Store.allCases)
    func importing(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        _ = try await service.create(EntityDraft(name: "Earlier"))
        let csv = try file("a.csv", "name,category,notes\r\nLamp,light,\"a, \"\"b\"\"\nc\"\r\nVase,,\r\n")
        let lines = try file(
            "b.jsonl", "{\"name\":\"Chair\",\"category\":null}\n\n{\"name\":\"Rug\",\"notes\":\"2 m\"}")
        let reported = Mutex<[Int]>([])

        let counts = [
            try await service.importEntities(from: csv) { rows in reported.withLock { $0.append(rows) } },
            try await service.importEntities(from: lines) { _ in },
        ]

        #expect(counts == [2, 2])
        #expect(reported.withLock { $0 }.last == 2)
        #expect(
            try await service.texts() == [
                EntityDraft(name: "Earlier"),
                EntityDraft(name: "Lamp", category: "light", notes: "a, \"b\"\nc"), EntityDraft(name: "Vase"),
                EntityDraft(name: "Chair"), EntityDraft(name: "Rug", notes: "2 m"),
            ])
        #expect(try await service.page(EntityQuery(search: "2 m")).total == 1)
    }

    @Test("A single invalid row prevents the import; each finding has its line", arguments: Store.allCases)
    func allOrNothing(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        let long = String(repeating: "x", count: 201)
        let csv = try file("a.csv", "name,notes\nLamp,\n,no name\n\(long),\nVase,a,b\nChair,\n")

        let error = await #expect(throws: ValidationError.self) {
            try await service.importEntities(from: csv) { _ in }
        }

        #expect(error?.code == "invalidFile")
        #expect(
            error?.findings == [
                ValidationFinding("The name is empty.", field: "name", line: 3),
                ValidationFinding(
                    "The name may have at most 200 characters, not 201.", field: "name", line: 4),
                ValidationFinding("The row has 3 fields, but the header 2.", line: 5),
            ])
        #expect(
            error?.message == """
                The file '\(csv.path)' has 3 mistakes; nothing was imported. Line 3: The name is empty. \
                Line 4: The name may have at most 200 characters, not 201. \
                Line 5: The row has 3 fields, but the header 2.
                """)
        #expect(try await service.page(EntityQuery()).total == 0)
        #expect(try await service.create(EntityDraft(name: "First")).id == 1)
    }

    @Test("An empty list can be exported and imported", arguments: Store.allCases)
    func nothing(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        for name in ["a.csv", "a.jsonl"] {
            let file = try EntityFile(folder.path(name))

            #expect(try await service.exportEntities(to: file) { _ in } == 0)
            #expect(try await service.importEntities(from: file) { _ in } == 0)
        }
        #expect(contents(folder.path("a.csv")) == Array("name,category,notes\r\n".utf8))
        #expect(contents(folder.path("a.jsonl")) == [])
    }

    @Test("Importing an exported file restores the same entities", arguments: Store.allCases)
    func roundTrip(_ store: Store) async throws {
        let (service, other) = (try await store.make(clock: clock), try await store.make(clock: clock))
        var random = SeededGenerator(seed: 7)
        let drafts = HostileTexts.drafts(60, using: &random)
        for draft in drafts { _ = try await service.create(draft) }
        for name in ["a.csv", "a.jsonl"] {
            let file = try EntityFile(folder.path(name))

            #expect(try await service.exportEntities(to: file) { _ in } == 60)
            #expect(try await other.importEntities(from: file) { _ in } == 60)
        }

        #expect(try await HostileTexts.areSame(other.texts(), HostileTexts.normalized(drafts + drafts)))
        #expect(try await service.page(EntityQuery()).total == 60)
    }

    @Test("Files larger than one batch are transferred whole, with progress", arguments: Store.allCases)
    func many(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        let source = try file("a.csv", "name\n" + (1...2_500).map { "Row \($0)\n" }.joined())
        let target = try EntityFile(folder.path("b.jsonl"))
        let reports = Mutex<[[Int]]>([[], []])

        let created = try await service.importEntities(from: source) { rows in
            reports.withLock { $0[0].append(rows) }
        }
        let written = try await service.exportEntities(to: target) { rows in
            reports.withLock { $0[1].append(rows) }
        }

        #expect(created == 2_500)
        #expect(written == 2_500)
        let lines = String(decoding: contents(target.path), as: UTF8.self).split(separator: "\n")
        #expect(lines.first == "{\"name\":\"Row 1\"}")
        #expect(lines.last == "{\"name\":\"Row 2500\"}")
        for report in reports.withLock({ $0 }) {
            #expect(report.count >= 3)
            #expect(report == report.sorted())
            #expect(report.last == 2_500)
        }
    }

    @Test(
        "A cancelled import creates nothing; a cancelled export leaves the existing file unchanged",
        arguments: Store.allCases)
    func cancellation(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        let source = try file("a.csv", "name\n" + (1...2_500).map { "Row \($0)\n" }.joined())
        let target = folder.write("before".utf8, to: "b.csv")

        let importing = Task { try await service.importEntities(from: source) { _ in } }
        importing.cancel()
        let exporting = Task {
            try await service.exportEntities(to: replacing(target)) { _ in }
        }
        exporting.cancel()

        await #expect(throws: CancellationError.self) { try await importing.value }
        await #expect(throws: CancellationError.self) { try await exporting.value }
        #expect(try await service.page(EntityQuery()).total == 0)
        #expect(contents(target) == Array("before".utf8))
        #expect(folder.names() == ["a.csv", "b.csv"])
    }

    @Test("An existing file is replaced only if requested", arguments: Store.allCases)
    func replaced(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        _ = try await service.create(EntityDraft(name: "a"))
        let path = folder.write("before".utf8, to: "a.csv")

        let error = await #expect(throws: ServiceError.self) {
            try await service.exportEntities(to: EntityFile(path)) { _ in }
        }
        #expect(error?.code == .fileExists)
        #expect(contents(path) == Array("before".utf8))
        _ = try await service.exportEntities(to: replacing(path)) { _ in }

        #expect(contents(path) == Array("name,category,notes\r\na,,\r\n".utf8))
        #expect(folder.names() == ["a.csv"])
    }

    @Test("Missing files and folders are refused", arguments: Store.allCases)
    func refused(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        let missing = try EntityFile(folder.path("none.csv"))
        let directory = try EntityFile(folder.path, format: .csv)
        let nowhere = try EntityFile(folder.path("none/a.csv"))

        let errors = [
            await #expect(throws: FileError.self) {
                try await service.importEntities(from: missing) { _ in }
            },
            await #expect(throws: FileError.self) {
                try await service.importEntities(from: directory) { _ in }
            },
            await #expect(throws: FileError.self) {
                try await service.exportEntities(to: directory) { _ in }
            },
            await #expect(throws: FileError.self) {
                try await service.exportEntities(to: nowhere) { _ in }
            },
        ]

        #expect(
            errors.map { $0?.message } == [
                "There is no file '\(missing.path)'.",
                "The file '\(directory.path)' can't be read: it is a folder.",
                "The file '\(directory.path)' can't be written: it is a folder.",
                "The file '\(nowhere.path)' can't be written: No such file or directory.",
            ])
        #expect(folder.names() == [])
    }
}
