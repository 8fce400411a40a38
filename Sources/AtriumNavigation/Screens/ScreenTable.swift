@_spi(Host) package import AtriumKit

/// The screens of all active modules, by link, destination type and name.
///
/// The cost of a look-up does not grow with the number of screens.
@MainActor
package final class ScreenTable {
    private let tree = PatternTree()
    private var byType: [ObjectIdentifier: ScreenRegistration] = [:]
    private var byName: [Name: ScreenRegistration] = [:]
    private var byModule: [String: [ScreenRegistration]] = [:]
    private var sorted: [ScreenRegistration]?

    /// The key of a screen in stack entries.
    private struct Name: Hashable {
        let module: String
        let name: String
    }

    package init() {}

    /// All screens, sorted by pattern.
    package var all: [ScreenRegistration] {
        if let sorted { return sorted }
        let screens = byType.values.sorted { $0.pattern.description < $1.pattern.description }
        sorted = screens
        return screens
    }

    // MARK: - Changes

    /// Adds screens, all of them or none.
    ///
    /// - Throws: ``NavigationError``, see ``check(_:replacingThoseOf:)``.
    package func add(_ screens: [ScreenRegistration]) throws {
        try check(screens, replacingThoseOf: [])
        screens.forEach(insert)
    }

    /// Checks whether screens can replace those of some modules; changes nothing.
    ///
    /// - Throws: ``NavigationError`` with code `ambiguousLink` if a link would open two screens, `badPattern`
    ///   for an invalid pattern, `duplicate` if two screens of a module have the same name.
    package func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws {
        let checked = PatternTree()
        var names: [Name: ScreenRegistration] = [:]
        for screen in screens {
            if let problem = screen.pattern.problem { throw NavigationError.badPattern(screen, problem) }
            let conflict =
                checked.conflict(of: screen.pattern)
                ?? tree.conflict(of: screen.pattern) { !modules.contains($0.module) }
            if let conflict { throw NavigationError.ambiguous(screen, conflict) }
            checked.insert(screen)
            for name in Self.names(of: screen) {
                let known = byName[name].flatMap { modules.contains($0.module) ? nil : $0 }
                if let present = names.updateValue(screen, forKey: name) ?? known, present !== screen {
                    throw NavigationError.duplicateName(name.name, screen, present)
                }
            }
        }
    }

    /// Replaces the screens of some modules, after ``check(_:replacingThoseOf:)``.
    package func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) {
        modules.forEach(remove)
        screens.forEach(insert)
    }

    package func remove(module: String) {
        for screen in byModule.removeValue(forKey: module) ?? [] {
            tree.remove(screen)
            byType[screen.destinationType] = nil
            for name in Self.names(of: screen) { byName[name] = nil }
        }
        sorted = nil
    }

    private func insert(_ screen: ScreenRegistration) {
        tree.insert(screen)
        byType[screen.destinationType] = screen
        for name in Self.names(of: screen) { byName[name] = screen }
        byModule[screen.module, default: []].append(screen)
        sorted = nil
    }

    private static func names(of screen: ScreenRegistration) -> [Name] {
        ([screen.name] + screen.formerNames).map { Name(module: screen.module, name: $0) }
    }

    // MARK: - Look-ups

    package func hasScreens(of module: String) -> Bool { byModule[module]?.isEmpty == false }

    package func screen(for destination: any Destination) -> ScreenRegistration? {
        byType[ObjectIdentifier(type(of: destination))]
    }

    /// The screen of a module by its present name or a former one.
    package func screen(module: String, named name: String) -> ScreenRegistration? {
        byName[Name(module: module, name: name)]
    }

    func screen(of entry: StackEntry) -> ScreenRegistration? {
        screen(module: entry.module, named: entry.destination)
    }

    package func screen(for link: Link) -> ScreenRegistration? { tree.screen(at: link.segments) }

    /// Compares a link with each pattern that begins with its first segment or with an argument, in order of
    /// precedence.
    package func explain(_ link: Link) -> [PatternAttempt] {
        guard let first = link.segments.first else { return [] }
        let winner = screen(for: link)
        let screens = tree.screens(beginningWith: first).sorted { $0.pattern.precedes($1.pattern) }
        let second = screens.first { $0 !== winner && $0.pattern.matches(link) }
        return screens.map { screen in
            let explanation: String
            if screen === winner {
                let reason = second.map { PatternOrder.reason(screen.pattern, over: $0.pattern, for: link) }
                let refusal = refusal(of: link, by: screen).map { "; it refuses a value: \($0)" }
                explanation = "won because \(reason ?? "no other pattern matches")\(refusal ?? "")"
            } else if let winner, screen.pattern.matches(link) {
                explanation = "matches, but '\(winner.pattern)' takes precedence"
            } else {
                explanation = PatternOrder.difference(of: link, from: screen.pattern)
            }
            return PatternAttempt(
                pattern: screen.pattern, module: screen.module, isWinner: screen === winner,
                explanation: explanation)
        }
    }

    private func refusal(of link: Link, by screen: ScreenRegistration) -> String? {
        do {
            _ = try screen.destination(link)
            return nil
        } catch {
            return LoadFailure(error).message
        }
    }
}
