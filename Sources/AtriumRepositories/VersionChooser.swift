internal import AtriumKit
package import AtriumManifest

/// Chooses the versions of modules to install: the newest ones that fit this host and each other.
///
/// Pure. Backtracks to older versions if newer ones don't fit together; the number of steps is limited, as an
/// index can be crafted to have no answer in useful time.
package struct VersionChooser {
    /// A version of a module, installed or in a repository.
    package struct Version {
        let name: String
        let version: SemanticVersion
        let requires: [Requirement]
        let offer: RepositoryOffer?
    }

    /// The most versions that are tried.
    static let stepLimit = 10_000
    /// The most modules that one command may install.
    static let moduleLimit = 100

    private let present: [String: Version]
    private let offers: [String: [RepositoryOffer]]
    /// The modules for which newer versions are tried first.
    private var upgraded: [String] = []
    private var wanted: (name: String, range: VersionRange)?
    private var steps = 0
    /// Sentences with the reasons why versions were not chosen.
    package private(set) var reasons: [String] = []

    package init(present: [Version], offers: [String: [RepositoryOffer]]) {
        self.present = Dictionary(present.map { ($0.name, $0) }) { first, _ in first }
        self.offers = offers
    }

    /// Chooses a version in a range of a new module, and of those that it requires.
    ///
    /// - Returns: The libraries to install; nil if there is no such version, see ``reasons``.
    package mutating func install(_ name: String, _ range: VersionRange) throws(RepositoryError)
        -> [RepositoryOffer]?
    {
        wanted = (name, range)
        return try choose([name], present)
    }

    /// Chooses newer versions of installed modules, and of those that they require.
    ///
    /// - Parameter names: The modules to upgrade if possible; others only if one of these requires it.
    /// - Returns: The libraries to install; empty if no newer version can be installed, see ``reasons``.
    /// - Throws: ``RepositoryError`` if it takes too many steps.
    package mutating func upgrade(_ names: [String]) throws(RepositoryError) -> [RepositoryOffer] {
        upgraded = names
        let open = names + present.keys.filter { !names.contains($0) }.sorted()
        let free = open.filter { !newer($0).isEmpty }
        return try choose(free, present.filter { !free.contains($0.key) }) ?? []
    }

    private mutating func choose(
        _ open: [String], _ chosen: [String: Version]
    ) throws(RepositoryError) -> [RepositoryOffer]? {
        try decide(open[...], chosen)?.values.compactMap(\.offer).sorted { $0.name < $1.name }
    }

    /// Decides the modules in `open`, and those that they require.
    private mutating func decide(
        _ open: ArraySlice<String>, _ chosen: [String: Version]
    ) throws(RepositoryError) -> [String: Version]? {
        guard let name = open.first else { return chosen }
        guard chosen[name] == nil else { return try decide(open.dropFirst(), chosen) }
        for candidate in candidates(name) {
            steps += 1
            if let problem = problem(candidate, chosen) {
                note(problem)
                continue
            }
            var next = chosen
            next[name] = candidate
            guard steps <= Self.stepLimit, next.values.count(where: { $0.offer != nil }) <= Self.moduleLimit
            else {
                throw RepositoryError(
                    "tooManyChoices",
                    "'\(candidate.name)' requires more than this host tries at once: \(Self.moduleLimit) "
                        + "modules, \(Self.stepLimit) choices.",
                    hint: "Install some of what it requires first.")
            }
            let required = candidate.offer == nil ? [] : candidate.requires.map(\.name)
            if let found = try decide(required.filter { next[$0] == nil } + open.dropFirst(), next) {
                return found
            }
        }
        return nil
    }

    // MARK: - Candidates

    /// The versions of a module to try, the best one first.
    private func candidates(_ name: String) -> [Version] {
        guard let present = present[name] else {
            let all = offers[name] ?? []
            guard let wanted, wanted.name == name else { return all.map(Version.init) }
            return all.filter { wanted.range.contains($0.version) }.map(Version.init)
        }
        let newer = newer(name)
        return upgraded.contains(name) ? newer + [present] : [present] + newer
    }

    /// The versions that a module can be upgraded to; a release is never upgraded to a prerelease.
    private func newer(_ name: String) -> [Version] {
        guard let present = present[name]?.version else { return [] }
        return (offers[name] ?? []).filter {
            $0.version > present && (!$0.version.isPrerelease || present.isPrerelease)
        }.map(Version.init)
    }

    // MARK: - Problems

    /// The reason why a version can't be chosen; nil if it can.
    private func problem(_ version: Version, _ chosen: [String: Version]) -> String? {
        if let misfit = version.offer?.misfit { return misfit }
        for requirement in version.requires {
            if let provider = chosen[requirement.name] {
                if let problem = problem(of: version, requirement, provider) { return problem }
            } else if version.offer != nil, !canBeMet(requirement) {
                return "\(version.label) requires \(requirement), which no repository has."
            }
        }
        for dependent in chosen.values.sorted(by: { $0.name < $1.name }) {
            for requirement in dependent.requires where requirement.name == version.name {
                if let problem = problem(of: dependent, requirement, version) { return problem }
            }
        }
        return nil
    }

    private func problem(of dependent: Version, _ requirement: Requirement, _ provider: Version) -> String? {
        guard !requirement.range.contains(provider.version) else { return nil }
        if dependent.offer == nil {
            // A module that already waits is not made worse.
            guard provider.offer != nil, let here = present[provider.name],
                requirement.range.contains(here.version)
            else { return nil }
        }
        return "\(dependent.label) requires \(requirement), but \(provider.label)"
            + (provider.offer == nil ? " is installed." : " is offered.")
    }

    private func canBeMet(_ requirement: Requirement) -> Bool {
        present[requirement.name] != nil
            || offers[requirement.name]?.contains { requirement.range.contains($0.version) } == true
    }

    private mutating func note(_ reason: String) {
        if reasons.count < 100, !reasons.contains(reason) { reasons.append(reason) }
    }
}

extension VersionChooser.Version {
    package init(_ manifest: ModuleManifest) {
        self.init(
            name: manifest.name, version: manifest.version, requires: manifest.requires, offer: nil)
    }

    init(_ offer: RepositoryOffer) {
        self.init(
            name: offer.name, version: offer.version, requires: offer.entry.requires, offer: offer)
    }

    fileprivate var label: String { "\(name) \(version)" }
}
