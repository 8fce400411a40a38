@_spi(Host) import AtriumKit
import AtriumNavigation
import Observation
import Testing

@testable import AtriumShell

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

@Suite("How far an action is")
@MainActor
struct CountTests {
    private let shop: TestHost
    private let seen = Seen()

    /// What the display knew while the action ran.
    @MainActor
    private final class Seen {
        var counts: [String?] = []
    }

    init() throws {
        shop = try TestHost()
        try shop.add("Importer") { [shop, seen] registry in
            registry.viewModel(ImportModel.self) { _ in ImportModel() }
            registry.screen(ImportPlace.self) {
                ImportView(model: try $0.viewModel()) { seen.counts.append(shop.host.display.count()) }
            }
        }
    }

    @Test("While an action runs, its screen tells how far it is; afterwards nobody does")
    func counts() async throws {
        for line in ["import run", "open import", "run"] { _ = try await shop.output(line) }

        #expect(seen.counts == ["2 of 8 (25 %)", "2 of 8 (25 %)"])
        #expect(shop.host.display.count() == nil)
    }

    @Test("The first progress with a count tells it, whatever group it is in")
    func first() {
        let content = Content {
            Text("A")
            Progress(label: "B")
            Group("c") { Progress(label: "D", completed: 3) }
            Progress(label: "E", of: 4)
        }

        #expect(content.progressText == "3 done")
        #expect(Content { Progress(label: "B", elapsed: .seconds(3)) }.progressText == nil)
    }
}
