@_spi(Host) internal import AtriumKit
package import AtriumLibraries
internal import AtriumManifest

extension ModuleManifest {
    /// The modules that it uses, each with what accepts its version, for the container.
    var acceptedUses: [String: @Sendable (String) -> Bool] {
        Dictionary(
            uses.map { use in
                let accepts = { @Sendable version in
                    (try? SemanticVersion(parsing: version)).map(use.range.contains) ?? false
                }
                return (use.name, accepts)
            }
        ) { first, _ in first }
    }

    /// The modules that it requires or uses, of those that have a version that fits.
    func present(_ version: (String) -> SemanticVersion?) -> Set<String> {
        Set(others.filter { version($0.name).map($0.range.contains) ?? false }.map(\.name))
    }

    /// The modules that it requires, then those that it uses.
    var others: [Requirement] { requires + uses }
}

/// A module that another one uses where it is there.
package struct ModuleUse: Sendable {
    package let module: String
    package let range: String
    /// The installed version; nil if there is none.
    package let version: String?
    package let state: String
    /// True if it is there, and its version fits.
    package let isPresent: Bool
    /// True if it starts after the module that uses it, because it needs that module itself.
    package let isLater: Bool
    /// The reason why the module runs without it, or why it starts later; nil if there is nothing to say.
    package let note: String?
    /// The screens that are absent with it.
    package let screens: [String]

    /// A sentence about these screens; nil if there are none.
    package func absence(of user: String) -> String? {
        guard !screens.isEmpty else { return nil }
        let names = screens.map { "'\($0)'" }.joined(separator: ", ")
        return "\(user) has no \(screens.count == 1 ? "screen" : "screens") \(names) without \(module)."
    }
}

extension ModuleRuntime {
    /// The modules that a module uses, in the order of its manifest.
    package func uses(of module: Module) -> [ModuleUse] {
        guard let uses = module.manifest?.uses, !uses.isEmpty else { return [] }
        let later = Resolver.resolve(modules.compactMap(\.manifest)).later[module.name] ?? []
        return uses.map { use in
            let used = self.module(use.name)
            let version = used?.manifest?.version
            let fits = version.map(use.range.contains) ?? false
            let isPresent = fits && used?.state.isAvailable == true
            let isLater = isPresent && later.contains(use.name)
            return ModuleUse(
                module: use.name, range: "\(use.range)", version: version.map { "\($0)" },
                state: used?.state.name ?? "not installed", isPresent: isPresent, isLater: isLater,
                note: isLater
                    ? "\(module.name) uses \(use), which starts after it: \(use.name) needs \(module.name)."
                    : unfit(use, of: module),
                screens: (module.current?.registry.absentScreens ?? []).filter { $0.needs.contains(use.name) }
                    .map(\.pattern.description))
        }
    }

    /// The error about the link of a screen that is absent with a used module; nil for any other link.
    package func absence(where matches: (String) -> Bool) -> ModuleError? {
        for module in modules {
            guard let registry = module.current?.registry,
                let screen = registry.absentScreens.first(where: { matches($0.pattern.description) }),
                let use = uses(of: module).first(where: { $0.screens.contains(screen.pattern.description) })
            else { continue }
            return .absent("\(screen.pattern)", of: module.name, use, removal: removal(of: use.module))
        }
        return nil
    }

    /// The uses of active modules whose version does not fit, as sentences.
    package var unfitUses: [String] {
        modules.filter { $0.current != nil }.flatMap { module in
            module.manifest?.uses.compactMap { unfit($0, of: module) } ?? []
        }
    }

    /// A sentence about a used module whose version does not fit; nil otherwise.
    private func unfit(_ use: Requirement, of module: Module) -> String? {
        guard let version = self.module(use.name)?.manifest?.version, !use.range.contains(version) else {
            return nil
        }
        return "\(module.name) uses \(use), but \(use.name) is \(version), so \(module.name) runs without it."
    }

    /// Tries a running module and its screens in a child process without some others, and without those that
    /// require them.
    ///
    /// - Returns: The reason why it does not work; nil if it works.
    package func trial(
        of module: Module, without others: [String], in preflight: Preflight
    ) async throws -> ModuleError? {
        guard let library = module.current?.library else { return nil }
        let manifests = started.compactMap { others.contains($0.name) ? nil : $0.manifest }
        let waiting = Resolver.resolve(manifests, unusable: Set(others)).waiting
        let libraries = started.filter { !others.contains($0.name) && waiting[$0.name] == nil }
            .compactMap { $0.current?.library }
        let values = Dictionary(modules.map { ($0.name, configured($0)) }) { first, _ in first }
        return try await preflight.run(
            libraries, new: [library], configuration: values, limits: limits(of: libraries),
            keepsVerdicts: false, loadsScreens: true)[module.name]
    }

    /// The uses that a change concerns: of running modules what they get, exchange or lose, of arriving ones what
    /// is there in a version that does not fit.
    func plannedUses(of change: ResolvedChange) -> [ChangePlan.Use] {
        var next: [String: ModuleManifest] = [:]
        for module in change.list where module.current != nil { next[module.name] = module.manifest }
        for arrival in change.arrivals {
            next[arrival.module.name] = arrival.library?.manifest ?? arrival.module.manifest
        }
        for departure in change.departures { next[departure.module.name] = nil }
        let arriving = Set(change.arrivals.map(\.module.name))
        return change.list.compactMap { next[$0.name] }.flatMap { user in
            user.uses.compactMap { use in
                let before = module(use.name).flatMap { $0.current == nil ? nil : $0.manifest?.version }
                let after = next[use.name]?.version
                let from = before.flatMap { use.range.contains($0) ? $0 : nil }
                let to = after.flatMap { use.range.contains($0) ? $0 : nil }
                let isRebuilt = !arriving.contains(user.name)
                let isChanged = from != to || to != nil && arriving.contains(use.name)
                let isUnfit = after != nil && to == nil && arriving.contains(isRebuilt ? use.name : user.name)
                guard isRebuilt && isChanged || isUnfit else { return nil }
                return ChangePlan.Use(
                    module: user.name, used: use.name, range: "\(use.range)", from: from.map { "\($0)" },
                    to: to.map { "\($0)" }, unfit: to == nil ? after.map { "\($0)" } : nil,
                    isRebuilt: isRebuilt && isChanged)
            }
        }
    }
}

extension ModuleError {
    fileprivate static func absent(
        _ screen: String, of module: String, _ use: ModuleUse, removal: ModuleError?
    ) -> ModuleError {
        let (state, hint) =
            switch (use.version, use.note) {
            case (nil, _):
                ("not installed", removal?.hint ?? "Add \(use.module) with 'module add', or to modules.json.")
            case (let version?, _?): (version, "Bring a version of \(use.module) that fits.")
            case (_, nil): (use.state, "why \(use.module)")
            }
        return ModuleError(
            .moduleNotActive,
            "The screen '\(screen)' of \(module) is there only while \(use.module) \(use.range) is active; "
                + "\(use.module) is \(state).", hint: hint)
    }
}
