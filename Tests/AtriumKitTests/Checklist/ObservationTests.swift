import Observation
import Synchronization
import Testing

@_spi(Host) @testable import AtriumKit

@Observable
private final class ProfileModel: ViewModel {
    private(set) var name = "Ada"
    private(set) var age = 36
    private(set) var nickname: String?
    @ObservationIgnored private(set) var reads = 0

    func rename() { name = "Grace" }
    func grow() { age += 1 }
    func note() { reads += 1 }

    func changeAll() {
        name = "Grace"
        age = 37
        nickname = "Amazing"
        name = "Grace Hopper"
    }
}

private struct NameView: View {
    let viewModel: ProfileModel

    var body: Content {
        Field("name", viewModel.name)
        if let nickname = viewModel.nickname { Field("nickname", nickname) }
    }
}

private struct ConditionalView: View {
    let viewModel: ProfileModel

    var body: Content {
        if viewModel.age > 40 { Field("name", viewModel.name) }
    }
}

/// Draws a view and counts the notifications of changes to properties that it read.
@MainActor
private final class Watcher {
    private let view: any View
    /// The notifications that arrived.
    let changes = Changes()

    init(_ view: any View) {
        self.view = view
        draw()
    }

    @discardableResult
    func draw() -> JSONObject {
        withObservationTracking {
            view.body.json
        } onChange: { [changes] in
            changes.add()
        }
    }

    final class Changes: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }

        func add() { number.withLock { $0 += 1 } }
    }
}

@Suite("Observation of a view model by a view")
@MainActor
struct ObservationTests {
    private let model = ProfileModel()

    @Test("Changing a property that the view read notifies once; changing another does not notify")
    func tracked() {
        let watcher = Watcher(NameView(viewModel: model))

        model.grow()
        #expect(watcher.changes.count == 0)

        model.rename()
        #expect(watcher.changes.count == 1)
    }

    @Test("Several changes before the next redraw notify once")
    func coalesced() {
        let watcher = Watcher(NameView(viewModel: model))

        model.changeAll()

        #expect(watcher.changes.count == 1)
        #expect(watcher.draw() == ["name": "Grace Hopper", "nickname": "Amazing"])

        model.rename()

        #expect(watcher.changes.count == 2)
    }

    @Test("Only properties that the last drawing read notify, including those under a condition")
    func conditional() {
        let watcher = Watcher(ConditionalView(viewModel: model))

        model.rename()
        #expect(watcher.changes.count == 0)

        for _ in 0..<5 { model.grow() }
        #expect(watcher.changes.count == 1)
        #expect(watcher.draw() == ["name": "Grace"])

        model.changeAll()
        #expect(watcher.changes.count == 2)
    }

    @Test("Changing an ignored property does not notify")
    func ignored() {
        let watcher = Watcher(NameView(viewModel: model))

        model.note()

        #expect(model.reads == 1)
        #expect(watcher.changes.count == 0)
    }

    @Test("Each of two views of one model is notified only of properties that it read")
    func twoViews() {
        let name = Watcher(NameView(viewModel: model))
        let age = Watcher(ConditionalView(viewModel: model))

        model.grow()

        #expect(name.changes.count == 0)
        #expect(age.changes.count == 1)
    }
}
