import Testing

@testable @_spi(Host) import AtriumKit
@testable import Entities

@MainActor
@Suite("Restoring the list's position")
struct EntityListMigrationTests {
    private func restored(_ properties: String, version: Int) throws -> EntityList? {
        let screen = try ModuleRegistry.entities().screens[0]
        return try screen.restore(properties: properties, version: version) as? EntityList
    }

    @Test(
        "Version 1: a page that was saved without a size has 20 entities",
        arguments: [
            (#"{"page":3}"#, EntityList(page: 3, size: 20)),
            (#"{"page":3,"sort":"newest"}"#, EntityList(page: 3, size: 20, sort: .newest)),
            (#"{"page":3,"size":5}"#, EntityList(page: 3, size: 5)),
            (#"{"category":"seats","search":"o"}"#, EntityList(category: "seats", search: "o")),
            ("{}", EntityList()),
        ])
    func versionOne(_ properties: String, _ place: EntityList) throws {
        #expect(try restored(properties, version: 1) == place)
    }

    @Test("Version 2: a page that was saved without a size fits the viewport")
    func versionTwo() throws {
        #expect(try restored(#"{"page":3}"#, version: 2) == EntityList(page: 3))
    }
}
