internal import AtriumKit
package import AtriumLibraries
internal import AtriumManifest

/// Contribution points, by the manifests alone: before any code of an arriving module runs.
extension ResolvedChange {
    /// The manifests of the modules that run after the change, those that arrive first.
    private var running: (arriving: [ModuleManifest], all: [ModuleManifest]) {
        let leaving = Set(departures.map(\.module.name))
        let arriving = arrivals.compactMap { manifests[$0.module.name] }
        let names = Set(arriving.map(\.name))
        let staying = list.filter {
            $0.current != nil && !leaving.contains($0.name) && !names.contains($0.name)
        }
        return (arriving, arriving + staying.compactMap { manifests[$0.name] })
    }

    /// - Throws: ``ModuleError`` if two modules would give a point different types of element.
    func checkPoints() throws {
        let (arriving, all) = running
        for module in arriving {
            if let error = ModuleManifest.otherElement(in: module, among: all) { throw error }
        }
    }

    /// Sentences about points of arriving modules that may be misspelt.
    var pointNotes: [String] {
        let (arriving, all) = running
        return arriving.flatMap { ModuleManifest.similarPoints(of: $0, among: all) }
    }
}

extension ModuleManifest {
    /// The error about a point to whose elements another module gives another type; nil if there is none.
    static func otherElement(in module: ModuleManifest, among all: [ModuleManifest]) -> ModuleError? {
        for point in module.points {
            for other in all where other.name != module.name {
                guard let theirs = other.points.first(where: point.differs) else { continue }
                return ModuleError.otherElement(point, of: module, theirs, of: other)
            }
        }
        return nil
    }

    /// Sentences about points of a module that no other one declares, while one declares a similar name.
    static func similarPoints(of module: ModuleManifest, among all: [ModuleManifest]) -> [String] {
        guard !module.points.isEmpty else { return [] }
        let others = all.filter { $0.name != module.name }
        let known = Set(others.flatMap(\.points).map(\.name))
        return module.points.filter { !known.contains($0.name) }.compactMap { point in
            guard let near = NearestName.of(point.name, among: known.sorted()),
                let owner = others.first(where: { $0.points.contains { $0.name == near } })
            else { return nil }
            return "No other module declares the contribution point '\(point.name)' of \(module.name). "
                + "Did you mean '\(near)' of \(owner.name)?"
        }
    }
}

extension ModuleRuntime {
    /// The active modules that give a point another type of element than those before them, by their manifests:
    /// the container knows only what was used.
    package var mismatchedPoints: [(module: String, error: ModuleError)] {
        let active = modules.filter { $0.current != nil }.compactMap(\.manifest)
        return active.enumerated().compactMap { index, module in
            ModuleManifest.otherElement(in: module, among: Array(active.prefix(index))).map {
                (module.name, $0)
            }
        }
    }

    /// Sentences about active modules that are no faults: uses that do not fit, different major versions of a
    /// contract, points that may be misspelt.
    package var notes: [String] {
        let active = modules.filter { $0.current != nil }.compactMap(\.manifest)
        return unfitUses + differentMajors
            + active.flatMap { ModuleManifest.similarPoints(of: $0, among: active) }
    }
}

extension ModuleError {
    fileprivate static func otherElement(
        _ point: PointDeclaration, of module: ModuleManifest, _ other: PointDeclaration,
        of owner: ModuleManifest
    ) -> ModuleError {
        ModuleError(
            .otherElement,
            "The elements of '\(point.name)' are \(point.element) in module '\(module.name)' \(module.version), "
                + "and \(other.element) in module '\(owner.name)' \(owner.version).",
            hint: "Give the point the same type of element in both.")
    }
}
