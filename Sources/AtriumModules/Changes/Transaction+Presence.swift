@_spi(Host) internal import AtriumKit
internal import AtriumLibraries

/// Registrations that modules bound to others with `whilePresent`: they come and go with these.
extension Transaction {
    /// Stages the bound registrations of the modules that keep running, and of those that are loaded already.
    func bind() throws {
        for generation in change.list.compactMap(\.current) + loaded.map(\.generation)
        where generation.registry.isBound && !change.leaving.contains(where: { $0 === generation }) {
            let present = change.present(for: generation.library.manifest)
            let index = rebound.firstIndex { $0.generation === generation }
            guard present != (index.map { rebound[$0].present } ?? generation.registry.present) else {
                continue
            }
            try staged.setPresent(present, for: generation.registry)
            if let index { rebound.remove(at: index) }
            rebound.append((generation, present))
        }
    }

    /// Chooses the bound registrations of a generation before it is added.
    func setPresent(for generation: Generation) {
        guard generation.registry.isBound else { return }
        generation.registry.present = change.present(for: generation.library.manifest)
    }

    /// The generations that keep running, and whose screens come or go.
    var staying: [Generation] {
        rebound.map(\.generation).filter { bound in !all.contains { $0.generation === bound } }
    }

    /// The screens of a generation after the change.
    func screens(of generation: Generation) -> [ScreenRegistration] {
        let bound = rebound.first { $0.generation === generation }
        return bound.map { generation.registry.screens(with: $0.present) } ?? generation.screens
    }
}
