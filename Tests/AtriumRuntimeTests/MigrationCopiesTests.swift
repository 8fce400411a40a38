import AtriumKit
import AtriumStorage
import Glibc
import TestSupport
import Testing

@testable import AtriumModules

@Suite struct MigrationCopiesTests {
    private let folder = TemporaryFolder()
    private let database: SQLiteDatabase
    private var copies: MigrationCopies {
        MigrationCopies(of: "Notes", database: folder.path("Notes.sqlite"))
    }

    init() async throws {
        let notes = Migration(1, "create notes", sql: "CREATE TABLE notes(text TEXT)")
        database = SQLiteDatabase(path: folder.path("Notes.sqlite"), owner: "Notes", migrations: [notes])
        _ = try await database.write { try $0.execute("INSERT INTO notes(text) VALUES ('milk')") }
        mkdir(folder.path("copies"), 0o700)
    }

    @Test("A copy removes the leftovers of killed hosts, of all versions, and nothing that is in use")
    func leftovers() throws {
        let used = try ScratchFolder(in: folder.path("copies"))
        mkdir(folder.path("copies/atrium-scratch-left"), 0o700)
        folder.write("x".utf8, to: "copies/atrium-scratch-left/Notes-7.sqlite")

        let problem = copies.make(1)

        #expect(problem == nil)
        let names = folder.names(in: "copies")
        #expect(names.count == 2 && names.first == "Notes-1.sqlite", "\(names)")
        #expect(!names.contains("atrium-scratch-left"))
        _ = used.path("a")
    }

    @Test("A copy that can't get its name leaves nothing")
    func unnamed() {
        mkdir(folder.path("copies/Notes-1.sqlite"), 0o700)

        let problem = copies.make(1)

        #expect(problem == "No copy of the database of module 'Notes' was kept: Is a directory.")
        #expect(folder.names(in: "copies") == ["Notes-1.sqlite"])
    }
}
