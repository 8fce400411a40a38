@_spi(Host) internal import AtriumKit

/// Something that can't be saved: a view model of an entry, or the entry itself.
struct UnsavedPart: Hashable {
    let entry: StackEntry.ID
    var viewModel: String?
    /// True if it is too large; otherwise it can't be encoded.
    var isTooLarge = false
}

// The saved state of view models.

extension Coordinator {
    // MARK: - Saving

    /// Marks the state as changed after an action of a view model.
    package func stateMayHaveChanged() {
        if !state.entries.isEmpty { needsArchiving = true }
    }

    /// Returns the stack with the saved state of every view model, for the next process.
    package func archive() -> NavigationState {
        Self.notePhase("the state of its screens was saved")
        defer { Self.notePhase(nil) }
        for id in live.keys { saveState(of: id) }
        needsArchiving = false
        return state
    }

    /// Returns a copy of an archive without the entries that can't be saved, and reports those.
    package func savable(_ archive: NavigationState) -> NavigationState {
        var savable = archive
        savable.removeAll { entry in
            do {
                _ = try entry.properties.json
                return false
            } catch {
                report(UnsavedPart(entry: entry.id), .entryNotSaved(entry, error))
                return true
            }
        }
        return savable
    }

    /// Saves the state of an entry's view models; one that can't be encoded keeps its last saved state.
    func saveState(of id: StackEntry.ID) {
        guard let live = live[id], unloaded.isEmpty || !unloaded.contains(id) else { return }
        var saved: [String: String] = [:]
        var failures: [(viewModel: String, error: any Error)] = []
        for viewModel in live.screen.viewModels {
            do {
                if let state = try viewModel.saveState() { saved[viewModel.name] = state }
                if !unsaved.isEmpty { unsaved[UnsavedPart(entry: id, viewModel: viewModel.name)] = nil }
            } catch {
                failures.append((viewModel.name, error))
            }
        }
        var changed: StackEntry?
        state.update(id) { entry in
            for failure in failures { saved[failure.viewModel] = entry.state[failure.viewModel] }
            if !saved.isEmpty || !entry.state.isEmpty { entry.state = saved }
            // Once used, a screen stays used, also if the user has reset its input.
            for (name, earlier) in entry.earlier ?? [:] where earlier.unused != saved[name] {
                entry.earlier?[name]?.unused = nil
            }
            changed = entry
        }
        guard let changed else { return }
        for (viewModel, error) in failures {
            report(UnsavedPart(entry: id, viewModel: viewModel), .stateNotSaved(changed, viewModel, error))
        }
    }

    /// Reports a part that can't be saved, once.
    func report(_ part: UnsavedPart, _ error: NavigationError) {
        guard unsaved.updateValue(error.message, forKey: part) != error.message else { return }
        reportError?(error)
    }

    // MARK: - Restoring

    /// Restores the saved state of a new view model; keeps state that does not fit, for a build that it fits.
    func restoreState(of viewModel: RecordedViewModel, in entry: StackEntry) {
        let name = viewModel.name
        let saved = entry.state[name]
        let earlier = entry.earlier?[name]
        Self.notePhase("the state of its screen was restored")
        defer { Self.notePhase(nil) }
        let fitting = earlier?.states.last(where: viewModel.fits)
        if let fitting, saved == nil || saved == earlier?.unused {
            // The screen was not used since, so the earlier state replaces nothing.
            takeEarlierState(fitting, to: viewModel, in: entry.id)
            return
        }
        guard let saved else { return }
        do {
            try viewModel.restoreState(saved)
        } catch {
            // If this state can't be encoded, there is nothing to compare with later.
            let unused = (try? viewModel.saveState()) ?? nil
            state.update(entry.id) { entry in
                entry.state[name] = unused
                var earlier = entry.earlier?[name] ?? StackEntry.EarlierStates(saved)
                if saved != earlier.unused { earlier.add(saved) }
                earlier.unused = unused
                entry.earlier = (entry.earlier ?? [:]).merging([name: earlier]) { $1 }
            }
            needsArchiving = true
            reportError?(NavigationError.stateDoesNotFit(entry, name, error))
            return
        }
        if fitting != nil { reportError?(NavigationError.hasEarlierState(entry)) }
    }

    private func takeEarlierState(_ saved: String, to viewModel: RecordedViewModel, in id: StackEntry.ID) {
        // It has just been decoded.
        guard (try? viewModel.restoreState(saved)) != nil else { return }
        state.update(id) { entry in
            entry.state[viewModel.name] = saved
            entry.earlier?[viewModel.name]?.states.removeAll { $0 == saved }
            entry.earlier?[viewModel.name]?.unused = nil
            if entry.earlier?[viewModel.name]?.states.isEmpty == true { entry.earlier?[viewModel.name] = nil }
            if entry.earlier?.isEmpty == true { entry.earlier = nil }
        }
        needsArchiving = true
    }

    /// Restores the current screen's state from another build, and keeps the present one.
    ///
    /// - Throws: ``NavigationError`` if no such state fits.
    package func restoreEarlierState() throws {
        guard let screen = try currentScreen(), let entry = currentEntry else {
            throw NavigationError.noEarlierState(nil)
        }
        var isRestored = false
        for viewModel in screen.viewModels {
            guard let saved = entry.earlier?[viewModel.name]?.states.last(where: viewModel.fits) else {
                continue
            }
            let present = try viewModel.saveState()
            takeEarlierState(saved, to: viewModel, in: entry.id)
            if let present, present != saved {
                state.update(entry.id) { entry in
                    var earlier = entry.earlier?[viewModel.name] ?? StackEntry.EarlierStates(present)
                    earlier.add(present)
                    entry.earlier = (entry.earlier ?? [:]).merging([viewModel.name: earlier]) { $1 }
                }
            }
            isRestored = true
        }
        guard isRestored else { throw NavigationError.noEarlierState(entry) }
    }
}

extension NavigationError {
    static func stateNotSaved(_ entry: StackEntry, _ viewModel: String, _ error: any Error) -> NavigationError
    {
        NavigationError(
            "stateNotSaved",
            "The state of screen '\(entry.link)' of module '\(entry.module)' can't be saved: "
                + reason(error, viewModel), hint: "What was saved of it before stays.", cause: error)
    }

    static func entryNotSaved(_ entry: StackEntry, _ error: any Error) -> NavigationError {
        NavigationError(
            "entryNotSaved",
            "The screen '\(entry.link)' of module '\(entry.module)' can't be saved: "
                + reason(error, entry.destination), hint: "It is left out of the saved stack.", cause: error)
    }

    static func stateDoesNotFit(_ entry: StackEntry, _ viewModel: String, _ error: any Error)
        -> NavigationError
    {
        NavigationError(
            "stateNotRestored",
            "The saved state of screen '\(entry.link)' does not fit this build of module '\(entry.module)': "
                + reason(error, viewModel),
            hint: "It is kept, and comes back with: module rollback \(entry.module)",
            cause: error)
    }

    static func hasEarlierState(_ entry: StackEntry) -> NavigationError {
        NavigationError(
            "earlierState",
            "An earlier state of screen '\(entry.link)' fits this build of module '\(entry.module)' again.",
            hint: "module restore-state")
    }

    static func noEarlierState(_ entry: StackEntry?) -> NavigationError {
        NavigationError(
            .notFound,
            entry.map { "No earlier state of screen '\($0.link)' is kept that fits it." }
                ?? "At the root there is no screen whose state could be restored.", hint: "where")
    }

    /// The reason a value can't be read or written, as the end of a sentence.
    private static func reason(_ error: any Error, _ type: String) -> String {
        StateCoding.reason(of: error).map { "in \(type) \($0)" }
            ?? (error as? any ExplainedError)?.message ?? "\(type) fails."
    }
}
