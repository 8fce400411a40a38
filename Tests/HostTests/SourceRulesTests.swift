import Foundation
import Testing

/// How the project's own modules are laid out; the architecture check has the rules for any module.
@Suite struct SourceRulesTests {
    @Test(
        "Every module has the folders of the common layers",
        arguments: ["Entities", "Session", "UserProfile"].map { "Plugins/\($0)" }
            + ["Catalog/Sources/Catalog", "Shop/Sources/Shop", "Backend/Sources/Notes"].map {
                "Examples/\($0)"
            })
    func folders(_ module: String) throws {
        let folder = Project.root.appending(path: module).path

        let names = try FileManager.default.contentsOfDirectory(atPath: folder)

        #expect(Set(["Model", "Repo", "Services", "View", "ViewModel"]).subtracting(names) == [])
    }
}
