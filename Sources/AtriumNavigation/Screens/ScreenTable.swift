@_spi(Host) package import AtriumKit

/// The screens of all active modules, found by link, by the type of their destination and by name.
///
/// What a look-up costs does not grow with the number of screens; what a change costs grows with the number
/// of screens that come and go.
@MainActor
package final class ScreenTable {
    private let tree = PatternTree()
    private var byType: [ObjectIdentifier: ScreenRegistration] = [:]
    private var byName: [Name: ScreenRegistration] = [:]
    private var byModule: [String: [ScreenRegistration]] = [:]
    private var sorted: [ScreenRegistration]?

    /// What stack entries keep of a screen.
    private struct Name: Hashable {
        let module: String
        let name: String
    }

    package init() {}

    /// Every screen, by pattern.
    package var all: [ScreenRegistration] {
        if let sorted { return sorted }
        let screens = byType.values.sorted { $0.pattern.description < $1.pattern.description }
        sorted = screens
        return screens
    }

    // MARK: - Changes

    /// Adds screens, all of them or none.
    ///
    /// - Throws: ``ScreenTableError``, as ``check(_:replacingThoseOf:)``.
    package func add(_ screens: [ScreenRegistration]) throws {
        try check(screens, replacingThoseOf: [])
        screens.forEach(insert)
    }

    /// Checks that screens can take the place of those of some modules; changes nothing.
    ///
    /// - Throws: ``ScreenTableError``: with code `ambiguousLink`, naming both patterns and modules, where a
    ///   link would lead to two screens; `badPattern` where a pattern is none; `duplicate` where a module
    ///   keeps places of two screens under one name.
    package func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws {
        let checked = PatternTree()
        var names: [Name: ScreenRegistration] = [:]
        for screen in screens {
            if let problem = screen.pattern.problem { throw ScreenTableError.badPattern(screen, problem) }
            let conflict =
                checked.conflict(of: screen.pattern)
                ?? tree.conflict(of: screen.pattern) { !modules.contains($0.module) }
            if let conflict { throw ScreenTableError.ambiguous(screen, conflict) }
            checked.insert(screen)
            for name in Self.names(of: screen) {
                let known = byName[name].flatMap { modules.contains($0.module) ? nil : $0 }
                if let present = names.updateValue(screen, forKey: name) ?? known, present !== screen {
                    throw ScreenTableError.duplicateName(name.name, screen, present)
                }
            }
        }
    }

    /// Puts screens in the place of those of some modules, which was checked.
    package func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) {
        modules.forEach(remove)
        screens.forEach(insert)
    }

    /// Removes the screens of a module.
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

    /// Whether a module has screens here.
    package func hasScreens(of module: String) -> Bool {
        byModule[module]?.isEmpty == false
    }

    /// The screen that shows `destination`.
    package func screen(for destination: any Destination) -> ScreenRegistration? {
        byType[ObjectIdentifier(type(of: destination))]
    }

    /// The screen that a module keeps under a name today, or that an earlier version of it kept under it.
    package func screen(module: String, named name: String) -> ScreenRegistration? {
        byName[Name(module: module, name: name)]
    }

    /// The screen of a stack entry.
    func screen(of entry: StackEntry) -> ScreenRegistration? {
        screen(module: entry.module, named: entry.destination)
    }

    /// The screen that a link leads to.
    package func screen(for link: Link) -> ScreenRegistration? {
        tree.screen(at: link.segments)
    }

    /// What each pattern that begins with the link's first segment, or with an argument, says to the link, in
    /// the order in which they would win.
    package func explain(_ link: Link) -> [PatternAttempt] {
        guard let first = link.segments.first else { return [] }
        let winner = screen(for: link)
        let screens = tree.screens(beginningWith: first).sorted {
            $0.pattern.precedes($1.pattern)
        }
        let second = screens.first { $0 !== winner && $0.pattern.matches(link) }
        return screens.map { screen in
            let outcome: PatternAttempt.Outcome =
                if screen === winner {
                    .won(
                        because: second.map {
                            PatternOrder.reason(screen.pattern, over: $0.pattern, for: link)
                        } ?? "no other pattern matches",
                        refusal: refusal(of: link, by: screen))
                } else if let winner, screen.pattern.matches(link) {
                    .matched(lostTo: winner.pattern)
                } else {
                    .differs(PatternAttempt.difference(of: link, from: screen.pattern))
                }
            return PatternAttempt(pattern: screen.pattern, module: screen.module, outcome: outcome)
        }
    }

    /// Why a screen does not take the values of a link; nil where it does.
    private func refusal(of link: Link, by screen: ScreenRegistration) -> String? {
        do {
            _ = try screen.destination(link)
            return nil
        } catch {
            return LoadFailure(error).message
        }
    }
}
