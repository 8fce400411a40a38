@_spi(Host) internal import AtriumKit

/// The result of asking the guards of a request.
@MainActor
struct GuardResult {
    /// The route that guards allow.
    let route: Route
    /// The requests that redirects postponed; the last one is resumed first.
    var intents: [StackEntry.Intent] = []
}

/// Asks guards and follows their redirects.
@MainActor
struct GuardEvaluator {
    let guards: GuardList
    /// Finds the route of a link, and loads its module if needed.
    let find: (Link) async throws -> Route
    var didDecide: (GuardList.Entry, Route, GuardVerdict) -> Void = { _, _, _ in }

    /// The maximum number of redirects in a row.
    static let limit = 10

    /// Asks the guards of a route.
    ///
    /// - Throws: ``NavigationError`` if a guard refuses or fails, or redirects don't end.
    func evaluate(_ route: Route, request: NavigationRequest) async throws -> GuardResult {
        var result = GuardResult(route: route)
        var redirect = try await redirect(from: route, request)
        var path = [route.name]
        while let (intent, link) = redirect {
            let route = try await find(Link(link))
            let name = route.name
            guard !path.contains(name) else { throw NavigationError.redirectLoop(path + [name]) }
            path.append(name)
            guard path.count <= Self.limit else { throw NavigationError.tooManyRedirects(path) }
            result = GuardResult(route: route, intents: result.intents + [intent])
            redirect = try await self.redirect(from: route, .push(name))
        }
        return result
    }

    /// The redirect of the first guard that does not allow a route; nil if all allow it.
    private func redirect(
        from route: Route, _ request: NavigationRequest
    ) async throws -> (intent: StackEntry.Intent, link: String)? {
        let entries = try guards.guards(of: route)
        guard !entries.isEmpty else { return nil }
        for entry in entries {
            let verdict = try await entry.verdict(on: route, within: guards.limit)
            didDecide(entry, route, verdict)
            switch verdict.decision {
            case .allow: continue
            case .deny(let reason, let hint):
                throw NavigationError.refused(
                    route.link, by: entry.name.rawValue, because: reason, hint: hint)
            case .redirect(let link, let reason, let stays):
                let intent = StackEntry.Intent(
                    request: request, guardName: entry.name.rawValue, reason: reason, stays: stays)
                return (intent, link)
            }
        }
        return nil
    }
}

/// The guards of all modules in their order; built on first use and after each change of the modules.
@MainActor
final class GuardList {
    final class Entry: Sendable {
        let module: String
        let navigationGuard: NavigationGuard

        init(module: String, navigationGuard: NavigationGuard) {
            self.module = module
            self.navigationGuard = navigationGuard
        }

        var name: GuardName { navigationGuard.name }

        /// Asks the guard.
        ///
        /// - Throws: ``NavigationError`` if it fails or does not answer in time; `CancellationError`.
        @MainActor
        func verdict(on route: Route, within limit: Duration) async throws -> GuardVerdict {
            Coordinator.notePhase("its guard was asked")
            defer { Coordinator.notePhase(nil) }
            do {
                return try await navigationGuard.verdict(on: route.attempt, within: limit) {
                    Coordinator.notePhase(nil)
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                throw NavigationError.failedGuard("'\(name)' of module '\(module)'", on: route.link, error)
            }
        }
    }

    /// The longest wait for a guard.
    var limit = Coordinator.stepLimit
    private let container: Container
    private var version: Int?
    private var entries: [Entry] = []
    private var failures: [(module: String, error: any Error)] = []
    private var entriesByScreen: [ObjectIdentifier: [Entry]] = [:]

    init(_ container: Container) {
        self.container = container
    }

    /// Drops the guards, which would retain the generation that built them until the next navigation.
    func reset() {
        version = nil
        (entries, failures, entriesByScreen) = ([], [], [:])
    }

    /// Returns the guards that decide about a route.
    ///
    /// - Throws: ``NavigationError`` if a guard can't be built or the screen requires one that no module has:
    ///   a screen is never shown without its guards.
    func guards(of route: Route) throws -> [Entry] {
        refresh()
        if route.registration.isOfHost { return [] }
        if let failure = failures.first {
            throw NavigationError.failedGuard("of module '\(failure.module)'", on: route.link, failure.error)
        }
        let registration = route.registration
        if let list = entriesByScreen[ObjectIdentifier(registration)] { return list }
        let missing = registration.guards.first { name in !entries.contains { $0.name == name } }
        if let missing {
            throw NavigationError.missingGuard(missing, for: route.link, of: registration.module)
        }
        let list = entries.filter { entry in
            entry.navigationGuard.reach == .everyScreen || registration.guards.contains(entry.name)
        }
        entriesByScreen[ObjectIdentifier(registration)] = list
        return list
    }

    var all: [Entry] {
        refresh()
        return entries
    }

    private func refresh() {
        guard version != container.version else { return }
        version = container.version
        entries = []
        failures = []
        entriesByScreen = [:]
        for (module, element) in container.contributionResults(to: .guards) {
            switch element {
            case .success(let contribution):
                entries.append(Entry(module: module, navigationGuard: contribution.value))
            case .failure(let error): failures.append((module, error))
            }
        }
    }
}
