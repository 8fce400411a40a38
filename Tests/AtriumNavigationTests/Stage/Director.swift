@_spi(Host) import AtriumKit

@testable import AtriumNavigation

/// Controls the screens and the guards of a stage, and records their events.
@MainActor
final class Director {
    struct Mishap: Error {}

    /// Built screens and called guards, in order: "member? vaults/a", "build vaults/a".
    private(set) var events: [String] = []
    /// The verdict of each guard; without one it allows.
    var verdicts: [GuardName: @MainActor (NavigationAttempt) async throws -> GuardVerdict] = [:]
    /// What a screen does while it loads, by link.
    var loads: [String: @MainActor (ActorViewModel) async throws -> Void] = [:]
    /// What the factory of a screen does, by link.
    var builds: [String: @MainActor (ActorViewModel) throws -> Void] = [:]
    /// Whether the factories of guards throw.
    var guardsFail = false

    func takeEvents() -> [String] {
        defer { events = [] }
        return events
    }

    func note(_ event: String) {
        events.append(event)
    }

    func decide(_ name: GuardName, _ attempt: NavigationAttempt) async throws -> GuardVerdict {
        events.append("\(name)? \(attempt.link)")
        return try await verdicts[name]?(attempt) ?? .allow
    }

    /// Makes a guard redirect every attempt until it is set otherwise.
    func redirect(_ name: GuardName, to link: String, staying: Bool = false) {
        verdicts[name] = { _ in .redirect(to: link, because: "First things first.", staying: staying) }
    }

    func allow(_ name: GuardName) {
        verdicts[name] = nil
    }
}

/// The view model of every screen of a stage.
final class ActorViewModel: ViewModel {
    struct SavedState: Codable {
        var note: String
        var share: Double?
    }

    let navigator: any Navigator
    let tasks: OwnedTasks
    var link = ""
    var note = ""
    /// Can't be saved if it is no number.
    var share: Double?
    var objections: [String] = []
    var loads = 0
    var received: [String] = []

    init(navigator: any Navigator, tasks: OwnedTasks) {
        self.navigator = navigator
        self.tasks = tasks
    }

    var savedState: SavedState { SavedState(note: note, share: share) }

    /// A note that begins with "edited" counts as unsaved.
    func restore(_ state: SavedState) {
        note = state.note
        if note.hasPrefix("edited") { objections = [note] }
    }

    var leaveObjections: [LeaveObjection] { objections.map { LeaveObjection($0, hint: "save") } }

    func receive(_ result: ReturnedResult) async throws {
        guard let word = try result.value(in: .choice) else { return }
        received.append(word)
    }
}

struct ActorView: View {
    let viewModel: ActorViewModel
    let director: Director

    var body: Content { Title(viewModel.link) }

    func load() async throws {
        viewModel.loads += 1
        try await director.loads[viewModel.link]?(viewModel)
    }
}
