import AtriumKit

/// Works, but never returns from `deactivate` once its action was used.
final class FixtureModule: FeatureModule {
    private let hold = Hold()

    func register(in registry: ModuleRegistry) {
        registry.screen(Start.self) { [hold] _ in StartView(hold: hold) }
    }

    func deactivate() async {
        guard hold.isTaken else { return }
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}

/// Whether the action was used; while the module is tried in a child process it is not.
@MainActor final class Hold {
    var isTaken = false
}

struct Start: Destination {
    static let pattern: LinkPattern = "deactivates-never"
}

struct StartView: View {
    let hold: Hold

    var body: Content { Field("held", hold.isTaken) }

    var actions: [Action] {
        Action("go", "Lets the module never end") {
            hold.isTaken = true
            return .updated
        }
    }
}
