@_spi(Host) internal import AtriumKit

/// What the guards made of a request: where it leads now, and how it came there.
@MainActor
struct GuardResult {
    /// The place that may be gone to.
    let target: Route
    /// Where somebody wanted to go, where that is another place; the last one is gone on to first.
    var intents: [StackEntry.Intent] = []
}

/// Asks the guards, and follows where they redirect to.
@MainActor
struct GuardEvaluator {
    let guards: GuardList
    /// Finds the screen of a link; loads its module where that is needed.
    let find: (Link) async throws -> Route
    /// Takes each verdict.
    var note: (GuardList.Entry, Route, GuardVerdict) -> Void = { _, _, _ in }

    /// The most places that guards may redirect to, one after the other.
    static let limit = 10

    /// Asks the guards about a target.
    ///
    /// - Throws: ``NavigationError`` where one refuses or can't decide, or where they redirect in a circle or
    ///   without an end.
    func evaluate(
        _ target: Route, request: NavigationRequest, intents: [StackEntry.Intent] = []
    ) async throws -> GuardResult {
        var result = GuardResult(target: target, intents: intents)
        var redirect = try await redirect(from: target, request)
        var path = [target.name]
        while let (intent, link) = redirect {
            let target = try await find(Link(link))
            let name = target.name
            guard !path.contains(name) else { throw NavigationError.redirectLoop(path + [name]) }
            path.append(name)
            guard path.count <= Self.limit else { throw NavigationError.tooManyRedirects(path) }
            result = GuardResult(target: target, intents: result.intents + [intent])
            redirect = try await self.redirect(from: target, .push(name))
        }
        return result
    }

    /// Where the first guard that does not allow a target redirects to; nil where all allow it.
    private func redirect(
        from target: Route, _ request: NavigationRequest
    ) async throws -> (intent: StackEntry.Intent, link: String)? {
        let concerned = try guards.concerning(target)
        guard !concerned.isEmpty else { return nil }
        let attempt = target.attempt
        for entry in concerned {
            let verdict: GuardVerdict
            do {
                verdict = try await entry.navigationGuard.verdict(on: attempt)
            } catch let error as CancellationError {
                throw error
            } catch {
                throw NavigationError.failedGuard(entry.name.rawValue, on: target.link, error)
            }
            note(entry, target, verdict)
            switch verdict.decision {
            case .allow: continue
            case .deny(let reason, let hint):
                throw NavigationError.refused(target.link, by: entry.name, because: reason, hint: hint)
            case .redirect(let link, let reason, let stays):
                let intent = StackEntry.Intent(
                    request: request, guardName: entry.name.rawValue, reason: reason, stays: stays)
                return (intent, link)
            }
        }
        return nil
    }
}
