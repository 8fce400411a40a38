@_spi(Host) import AtriumKit
import AtriumNavigation
import AtriumText
import Observation
import Testing

@testable import AtriumCommands

@Observable
private final class ImportModel: ViewModel {
    var done = 0
}

private struct ImportView: View {
    let model: ImportModel
    let goesOn: @MainActor () async -> Void

    var body: Content {
        Title("Import")
        Progress("preparation", label: "Preparing")
        Group("files") { Progress("import", label: "Importing", completed: model.done, of: 8) }
    }

    var actions: [Action] {
        Action("run", "Imports") {
            model.done = 2
            await goesOn()
            return .updated
        }
    }
}

private struct ImportPlace: Destination {
    static let pattern: LinkPattern = "import"
}

@Suite("Progress of a running action")
@MainActor
struct CountTests {
    private let shop: TestHost
    private let seen = Seen()

    /// The progress that the display showed while the action ran.
    @MainActor
    private final class Seen {
        var counts: [String?] = []
    }

    init() throws {
        shop = try TestHost()
        try shop.add("Importer") { [shop, seen] registry in
            registry.viewModel(ImportModel.self) { _ in ImportModel() }
            registry.screen(ImportPlace.self) {
                ImportView(model: try $0.viewModel()) { seen.counts.append(shop.scene.display.count) }
            }
        }
    }

    @Test("The display has the progress of an action while it runs, and none afterwards")
    func counts() async throws {
        for line in ["import run", "open import", "run"] { _ = try await shop.output(line) }

        #expect(seen.counts == ["2 of 8 (25 %)", "2 of 8 (25 %)"])
        #expect(shop.scene.display.count == nil)
    }

    @Test("The first progress with a count is used, in any group")
    func first() {
        let content = Content {
            Text("A")
            Progress(label: "B")
            Group("c") { Progress(label: "D", completed: 3) }
            Progress(label: "E", of: 4)
        }

        #expect(content.progress?.countText == "3 done")
        #expect(Content { Progress(label: "B", elapsed: .seconds(3)) }.progress == nil)
    }
}
