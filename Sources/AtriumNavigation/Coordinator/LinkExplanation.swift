@_spi(Host) package import AtriumKit

/// The screen that a link leads to, and the reasons.
package struct LinkExplanation {
    package let link: Link
    /// The patterns tried, the winner first.
    package let attempts: [PatternAttempt]
    /// The links of the screens that guards decided about, starting with the requested one.
    package internal(set) var path: [String] = []
    package internal(set) var verdicts: [Verdict] = []
    /// The reason the last screen can't be shown.
    package internal(set) var problem: (any ExplainedError)?

    /// The decision of a guard about a screen.
    package struct Verdict {
        package let link: String
        package let guardName: String
        /// The module that contributed the guard.
        package let module: String
        package let text: String
    }

    /// The link of the screen that is shown in the end; nil if none is.
    package var destination: String? { problem == nil ? path.last : nil }

    @MainActor
    fileprivate mutating func add(_ entry: GuardList.Entry, _ route: Route, _ verdict: GuardVerdict) {
        let text =
            switch verdict.decision {
            case .allow: "allows it"
            case .deny(let reason, _): "refuses: \(reason)"
            case .redirect(let link, let reason, _): "redirects to '\(link)': \(reason)"
            }
        verdicts.append(
            Verdict(link: route.name, guardName: entry.name.rawValue, module: entry.module, text: text))
    }
}

extension Coordinator {
    /// Explains the outcome of opening a link; asks guards, but loads no module and builds no screen.
    package func explain(_ link: Link) async -> LinkExplanation {
        var explanation = LinkExplanation(link: link, attempts: screens.explain(link))
        var evaluator = GuardEvaluator(guards: guards) { [weak self] link in
            guard let self, let route = try loadedRoute(link) else {
                throw NavigationError.unknownLink(
                    link, patterns: self?.screens.all.map(\.pattern.description) ?? [])
            }
            explanation.path.append(route.name)
            return route
        }
        evaluator.didDecide = { explanation.add($0, $1, $2) }
        do {
            let route = try await evaluator.find(link)
            if try guards.guards(of: route).isEmpty { return explanation }
            _ = try await evaluator.evaluate(route, request: .push(route.name))
        } catch {
            explanation.problem = error as? any ExplainedError ?? NavigationError.failed(link, error)
        }
        return explanation
    }

    /// The names of the guards that decide about a screen.
    package func guardNames(of screen: ScreenRegistration) -> [String] {
        let everywhere = guards.all.filter { $0.navigationGuard.reach == .everyScreen }.map(\.name)
        return (screen.guards + everywhere).map(\.rawValue)
    }
}
