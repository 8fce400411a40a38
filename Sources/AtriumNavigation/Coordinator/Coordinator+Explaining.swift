@_spi(Host) package import AtriumKit

/// Where a link leads and why, found out without going there.
package struct LinkExplanation {
    package let link: Link
    /// The patterns that were tried, the one that won first.
    package let attempts: [PatternAttempt]
    /// The places that guards lead to, from the one of the link on.
    package internal(set) var steps: [Step] = []
    /// Why the last place could not be gone to.
    package internal(set) var problem: (any ExplainedError)?

    /// A place on the way and what the guards said about it.
    package struct Step {
        package let link: String
        package let pattern: LinkPattern
        package let module: String
        package internal(set) var verdicts: [Verdict] = []
    }

    /// What a guard said.
    package struct Verdict {
        package let guardName: String
        /// The module that contributed it.
        package let module: String
        /// The decision in words.
        package let text: String
    }

    /// Where one would be then; nil where nobody could go there.
    package var destination: String? { problem == nil ? steps.last?.link : nil }
}

extension Coordinator {
    /// Finds out where a link leads, asking guards, but loading, building and entering nothing.
    package func explain(_ link: Link) async -> LinkExplanation {
        var explanation = LinkExplanation(link: link, attempts: screens.explain(link))
        var evaluator = GuardEvaluator(guards: guards) { [weak self] link in
            guard let self, let target = try known(link) else {
                throw NavigationError.unknownLink(
                    link, patterns: self?.screens.all.map(\.pattern.description) ?? [])
            }
            explanation.add(target)
            return target
        }
        evaluator.note = { explanation.add($0, $1, $2) }
        do {
            let target = try await evaluator.find(link)
            if try guards.concerning(target).isEmpty { return explanation }
            _ = try await evaluator.evaluate(target, request: .push(target.name))
        } catch {
            explanation.problem = error as? any ExplainedError ?? NavigationError.failed(link, error)
        }
        return explanation
    }

    /// The current place as a link that opens it again as it is shown now; nil at the root.
    package func currentLink() throws -> String? {
        guard let currentEntry else { return nil }
        let shown = try? currentScreen()?.viewModels.lazy.compactMap(\.shownDestination).first
        return try shown?.link().description ?? currentEntry.link
    }

    /// The names of the guards that decide about a screen.
    package func guardNames(of screen: ScreenRegistration) -> [String] {
        let everywhere = guards.all.filter { $0.navigationGuard.reach == .everyScreen }.map(\.name)
        return (screen.guards + everywhere).map(\.rawValue)
    }
}

extension LinkExplanation {
    @MainActor
    fileprivate mutating func add(_ target: Route) {
        steps.append(
            Step(
                link: target.name, pattern: target.registration.pattern,
                module: target.registration.module))
    }

    @MainActor
    fileprivate mutating func add(_ entry: GuardList.Entry, _ target: Route, _ verdict: GuardVerdict) {
        let text =
            switch verdict.decision {
            case .allow: "allows it"
            case .deny(let reason, _): "refuses: \(reason)"
            case .redirect(let link, let reason, _): "sends to '\(link)': \(reason)"
            }
        guard let index = steps.lastIndex(where: { $0.link == target.name }) else { return }
        steps[index].verdicts.append(
            Verdict(guardName: entry.name.rawValue, module: entry.module, text: text))
    }
}
