@_spi(Host) import AtriumKit
import Testing

@testable import Entities

@MainActor
@Suite("Places of the list that were kept")
struct EntityListPlaceTests {
    private func restored(_ properties: String, version: Int) throws -> EntityList? {
        let screen = try ModuleRegistry.entities().screens[0]
        return try screen.restore(properties: properties, version: version) as? EntityList
    }

    @Test(
        "A page that version 1 kept without a size is one of twenty entities",
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

    @Test("A page of version 2 has as many as there is room for")
    func versionTwo() throws {
        #expect(try restored(#"{"page":3}"#, version: 2) == EntityList(page: 3))
    }
}
