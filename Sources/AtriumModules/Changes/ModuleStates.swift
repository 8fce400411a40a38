@_spi(Host) package import AtriumKit
internal import AtriumLibraries

/// The state of modules between their generations: the last `snapshot` of each, and states that did not fit.
package struct ModuleStates: Codable, Hashable, Sendable {
    /// The state that each module gets back when it returns.
    var current: [String: State] = [:]
    /// States that did not fit the next build, or were left behind by command.
    var earlier: [String: State] = [:]

    struct State: Codable, Hashable, Sendable {
        let version: Int
        let json: String
        /// The version of the module that made it.
        let build: String

        var snapshot: ModuleSnapshot { ModuleSnapshot(version: version, json: json) }
    }

    package init() {}
}

extension ModuleStates {
    /// Reverts the largest states to the previously saved ones, until about `excess` bytes less are written.
    ///
    /// - Returns: The remaining states, and a sentence for each refused state.
    func reduced(by excess: Int, to former: ModuleStates?) -> (states: ModuleStates, refused: [String]) {
        var (rest, refused, freed) = (self, [String](), 0)
        let parts = [\ModuleStates.current, \.earlier].flatMap { list in
            self[keyPath: list].map { (list: list, module: $0.key, state: $0.value) }
        }
        for part in parts.sorted(by: { $0.state.json.utf8.count > $1.state.json.utf8.count }) {
            guard freed < excess else { break }
            let before = former?[keyPath: part.list][part.module]
            let difference = part.state.json.utf8.count - (before?.json.utf8.count ?? 0)
            guard difference > 0 else { continue }
            freed += difference
            rest[keyPath: part.list][part.module] = before
            let field = StateCoding.largestField(in: part.state.json).map { "field '\($0)'" }
            refused.append(
                "The state of module '\(part.module)' \(part.state.build) can't be kept: "
                    + "\(field ?? "the whole value") makes it too "
                    + "large to restore. The earlier state is kept.")
        }
        return (rest, refused)
    }
}

extension Generation {
    /// The module's present state; nil if it has none.
    func state() throws -> ModuleStates.State? {
        try snapshot(version: stateVersion).map {
            ModuleStates.State(version: $0.version, json: $0.json, build: "\(version)")
        }
    }
}

extension ModuleRuntime {
    /// Saves the state of a generation that leaves or keeps running.
    ///
    /// - Returns: A sentence with the reason why it can't be saved; the previously saved state stays.
    func keepState(of generation: Generation) -> String? {
        do {
            states.current[generation.name] = try generation.state()
            return nil
        } catch {
            return "The state of module '\(generation.name)' \(generation.version) can't be kept: "
                + ModuleError.message(of: error)
        }
    }

    /// Saves the state of all active modules, for the next process.
    ///
    /// - Returns: Errors about states that can't be saved, each reported once.
    package func keepStates() -> [any ExplainedError] {
        var problems: [any ExplainedError] = []
        for generation in started.compactMap(\.current) {
            let problem = keepState(of: generation)
            if let problem, problem != toldStateProblems[generation.name] {
                problems.append(ModuleError("stateNotKept", problem))
            }
            toldStateProblems[generation.name] = problem
        }
        return problems
    }

    /// Returns a module's saved state to it; a state that does not fit is kept.
    ///
    /// - Returns: A sentence for the user, if there is something to report.
    func returnState(to generation: Generation) -> String? {
        let name = generation.name
        guard let kept = states.current[name] else { return nil }
        do {
            guard kept.version <= generation.stateVersion else {
                throw ModuleError(
                    "newerState",
                    "it has version \(kept.version), and this build reads versions up to \(generation.stateVersion)."
                )
            }
            try generation.restore(kept.snapshot)
            return nil
        } catch {
            states.current[name] = nil
            states.earlier[name] = kept
            return "The state of module '\(name)' \(kept.build) does not fit \(generation.version): "
                + "\(ModuleError.message(of: error)) It is kept, and 'module restore-state \(name)' gives it to a "
                + "build that it fits."
        }
    }

    /// Keeps the state of a generation that its successor does not get.
    func keepEarlierState(of generation: Generation) -> String? {
        let name = generation.name
        do {
            guard let state = try generation.state() else { return nil }
            states.earlier[name] = state
            return "The state of module '\(name)' \(generation.version) is kept: "
                + "'module restore-state \(name)' puts it back."
        } catch {
            return
                "The state of module '\(name)' \(generation.version) is lost: \(ModuleError.message(of: error))"
        }
    }

    /// Suggests restoring a kept state to a build that may be able to read it.
    func offerState(to generation: Generation) -> String? {
        guard let earlier = states.earlier[generation.name], earlier.version <= generation.stateVersion else {
            return nil
        }
        return "A state of module '\(generation.name)' \(earlier.build) is kept: "
            + "'module restore-state \(generation.name)' puts it back."
    }

    /// Restores a module's kept state, and keeps the present one.
    ///
    /// - Throws: ``ModuleError`` if there is none, or it does not fit; it stays kept.
    func restoreEarlierState(of name: String) throws {
        let module = try requireModule(name)
        guard let earlier = states.earlier[name] else {
            throw ModuleError(
                .notFound, "No state of module '\(name)' is kept.", hint: "module \(name)")
        }
        guard let generation = module.current else { throw ModuleError.notActive(name, state: module.state) }
        let present = try? generation.state()
        do {
            try generation.restore(earlier.snapshot)
        } catch {
            throw ModuleError(
                "handOver",
                "The state of module '\(name)' \(earlier.build) does not fit \(generation.version): "
                    + ModuleError.message(of: error),
                hint: "It is kept for another build: module rollback \(name)", cause: error)
        }
        states.earlier[name] = present
    }
}
