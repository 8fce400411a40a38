import Testing

/// The numbers of migrations are checked in the sources, when a module is built.
@Suite("Numbers of migrations at build time") struct MigrationNumberTests {
    private func problem(in sources: String...) throws -> String { try ManifestRun(sources).messages }

    @Test("A gap, a number twice and a number below 1 fail the build, with file and line")
    func faults() throws {
        #expect(
            try problem(in: "[\n  Migration(1, \"a\"),\n  Migration(\n    3, \"b\")]")
                == "0.swift:3: error: migration 3 has no migration 2 before it; number them 1, 2, 3 and so on\n"
        )
        #expect(
            try problem(in: "Migration(1, sql)\nOfflineStore.migration(2)", "\n\nMigration(2, sql)")
                .hasSuffix(
                    "error: there are two migrations 2; number them 1, 2, 3 and so on\n"))
        #expect(
            try problem(in: "Migration(0, sql)")
                == "0.swift:1: error: migrations count from 1; number them 1, 2, 3 and so on\n")
    }

    @Test(
        "What is no migration, or has a computed number, is left to the host",
        arguments: [
            "// Migration(7)", "/* Migration(7) /* */ Migration(8) */", "\"Migration(7)\"",
            "\"\"\"\nMigration(7) \"\n\"\"\"", "#\"\"Migration(7)\"#",
            "\"\\(f(\"Migration(7)\"))Migration(8)\"",
            "func migration(_ version: Int) {}", "OtherMigration(7)",
            "Migration(next, sql); Migration(9, sql)", "",
        ])
    func others(source: String) throws {
        #expect(try problem(in: source + "\nMigration(1, sql)") == "")
    }
}
