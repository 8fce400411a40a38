import AtriumKit

/// Works, and once its action was used never comes back from `deactivate`.
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

/// Whether there is something to wait for; a module that is only tried has nothing.
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
