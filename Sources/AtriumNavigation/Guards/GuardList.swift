@_spi(Host) internal import AtriumKit

/// The guards of all modules, in their order; built when they are first wanted, and anew after a change of the
/// modules.
@MainActor
final class GuardList {
    /// A guard and the module that contributed it.
    final class Entry: Sendable {
        let module: String
        let navigationGuard: NavigationGuard

        init(module: String, navigationGuard: NavigationGuard) {
            self.module = module
            self.navigationGuard = navigationGuard
        }

        var name: GuardName { navigationGuard.name }
    }

    private let container: Container
    private var version: Int?
    private var entries: [Entry] = []
    /// The guards that can't be built, by module.
    private var failures: [(module: String, error: any Error)] = []
    /// What concerns a screen, which is asked for at each navigation.
    private var known: [ObjectIdentifier: [Entry]] = [:]

    init(_ container: Container) {
        self.container = container
    }

    /// The guards that decide about a target.
    ///
    /// - Throws: ``NavigationError`` where one can't be built, or the screen asks for one that nobody has: what
    ///   should have been guarded is not to be gone to then.
    func concerning(_ target: Route) throws -> [Entry] {
        refresh()
        if target.registration.isOfHost { return [] }
        if let failure = failures.first {
            throw NavigationError.failedGuard("of module \(failure.module)", on: target.link, failure.error)
        }
        let registration = target.registration
        if let list = known[ObjectIdentifier(registration)] { return list }
        let missing = registration.guards.first { name in !entries.contains { $0.name == name } }
        if let missing {
            throw NavigationError.missingGuard(missing, for: target.link, of: registration.module)
        }
        let list = entries.filter { entry in
            entry.navigationGuard.reach == .everyScreen || registration.guards.contains(entry.name)
        }
        known[ObjectIdentifier(registration)] = list
        return list
    }

    /// The guards, for whoever lists them.
    var all: [Entry] {
        refresh()
        return entries
    }

    private func refresh() {
        guard version != container.version else { return }
        version = container.version
        entries = []
        failures = []
        known = [:]
        for (module, element) in container.contributionResults(to: .guards) {
            switch element {
            case .success(let contribution):
                entries.append(Entry(module: module, navigationGuard: contribution.value))
            case .failure(let error): failures.append((module, error))
            }
        }
    }
}
