@_spi(Host) internal import AtriumKit

/// Leaves parts out of a saved stack that is too large to be read again.
extension Coordinator {
    /// Restores the largest parts of a stack to their former saved state, or leaves them out; reports each.
    ///
    /// - Parameters:
    ///   - archive: The stack.
    ///   - former: The stack that was saved last.
    ///   - excess: The approximate number of bytes to remove.
    /// - Returns: The rest; nil if nothing can be left out.
    package func reduced(
        _ archive: NavigationState, _ former: NavigationState?, _ excess: Int
    ) -> NavigationState? {
        var (rest, freed) = (archive, 0)
        let before = Dictionary(
            ((former?.entries ?? []) + (former?.ahead ?? [])).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let parts = (archive.entries + archive.ahead).flatMap {
            LargePart.parts(of: $0, before: before[$0.id])
        }
        for part in parts.sorted(by: { $0.size > $1.size }) {
            guard freed < excess else { break }
            freed += part.size
            part.leave(&rest, before[part.entry.id])
            report(UnsavedPart(entry: part.entry.id, viewModel: part.viewModel, isTooLarge: true), part.error)
        }
        for waiting in archive.waitingLinks where freed < excess {
            freed += waiting.link.utf8.count
            rest.drop(waiting.link)
        }
        return freed > 0 ? rest : nil
    }
}

/// A part of a saved stack that can be left out.
private struct LargePart {
    let entry: StackEntry
    /// The view model whose state this is; nil for the whole entry.
    let viewModel: String?
    /// The minimum number of bytes removed with it.
    let size: Int

    static func parts(of entry: StackEntry, before: StackEntry?) -> [LargePart] {
        let names = Set(entry.state.keys).union((entry.earlier ?? [:]).keys)
        let states = names.map { name in
            let former = before.map { size($0, name) } ?? 0
            return LargePart(entry: entry, viewModel: name, size: size(entry, name) - former)
        }
        let rest = rest(entry) - (before.map(rest) ?? 0)
        return (states + [LargePart(entry: entry, viewModel: nil, size: rest)]).filter { $0.size > 0 }
    }

    /// The bytes of an entry besides the states of view models.
    private static func rest(_ entry: StackEntry) -> Int {
        let links = entry.intents.map { $0.request.link?.utf8.count ?? 0 }
        let results = entry.results.map { $0.result.json?.utf8.count ?? 0 }
        let properties = (try? entry.properties.json.utf8.count) ?? 0
        return entry.link.utf8.count + properties + (links + results).reduce(0, +)
    }

    private static func size(_ entry: StackEntry, _ viewModel: String) -> Int {
        let earlier = entry.earlier?[viewModel].map { $0.states + [$0.unused ?? ""] } ?? []
        return ([entry.state[viewModel] ?? ""] + earlier).reduce(0) { $0 + $1.utf8.count }
    }

    /// Leaves the part out of a stack, or restores its former saved state.
    func leave(_ state: inout NavigationState, _ before: StackEntry?) {
        guard let viewModel else { return state.removeAll { $0.id == entry.id } }
        state.update(entry.id) { entry in
            entry.state[viewModel] = before?.state[viewModel]
            entry.earlier?[viewModel] = before?.earlier?[viewModel]
            if entry.earlier?.isEmpty == true { entry.earlier = nil }
        }
    }

    var error: NavigationError {
        guard let viewModel else { return .entryTooLarge(entry) }
        let field = entry.state[viewModel].flatMap(StateCoding.largestField).map { "field '\($0)'" }
        return .stateTooLarge(entry, viewModel, field ?? "the whole value")
    }
}

extension NavigationError {
    fileprivate static func stateTooLarge(
        _ entry: StackEntry, _ viewModel: String, _ field: String
    ) -> NavigationError {
        NavigationError(
            "stateNotSaved",
            "The state of screen '\(entry.link.excerpt)' of module '\(entry.module)' can't be saved: "
                + "\(field) of \(viewModel) makes it too large to restore.",
            hint: "What was saved of it before stays.")
    }

    fileprivate static func entryTooLarge(_ entry: StackEntry) -> NavigationError {
        NavigationError(
            "entryNotSaved",
            "The screen '\(entry.link.excerpt)' of module '\(entry.module)' can't be saved: its link "
                + "of \(entry.link.utf8.count) bytes makes it too large to restore.",
            hint: "It is left out of the saved stack.")
    }
}
