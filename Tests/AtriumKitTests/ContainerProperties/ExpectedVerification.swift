@_spi(Host) @testable import AtriumKit

/// The expected result of a verification, derived from the description of the modules alone.
struct ExpectedVerification {
    private var definitions: [Int: RandomModule.Definition] = [:]
    private var owners: [Int: RandomModule] = [:]
    private let elements: [RandomModule.Definition]
    /// The definitions that can be built, each with whether a shared value holds it.
    private var buildable: Set<Situation> = []

    private struct Situation: Hashable {
        let number: Int
        let isHeld: Bool
    }

    init(_ modules: [RandomModule]) {
        for module in modules {
            for definition in module.definitions {
                definitions[definition.number] = definition
                owners[definition.number] = module
            }
        }
        let owners = owners
        elements = modules.flatMap { module in module.definitions.filter { $0.order != nil } }.enumerated()
            .sorted {
                let (left, right) = ($0.element, $1.element)
                return (left.order ?? 0, owners[left.number]?.name ?? "", $0.offset)
                    < (right.order ?? 0, owners[right.number]?.name ?? "", $1.offset)
            }.map(\.element)
        findBuildable()
    }

    /// The definitions that can be resolved directly.
    var sound: Set<Int> { Set(buildable.filter { !$0.isHeld }.map(\.number)) }

    /// The root causes of all errors.
    var causes: Set<Cause> {
        let sound = sound
        return Set(
            definitions.keys.filter { !sound.contains($0) }.compactMap {
                let failure = failure(of: $0, isHeld: false, path: [$0])
                return cause(of: failure.code, at: failure.path)
            })
    }

    /// The root cause of an error, independent of its path.
    enum Cause: Hashable {
        case missing(Int)
        case notAllowed(module: String, Int)
        case wrongLifetime(captor: Int, Int)
        case circle(Set<Int>)
        case failing(Int)
    }

    /// Returns the root cause of an error with this path.
    func cause(of code: ErrorCode, at path: [Int]) -> Cause? {
        guard let last = path.last else { return nil }
        let askers = path.dropLast()
        switch code {
        case .notRegistered: return .missing(last)
        case .notAllowed: return askers.last.flatMap { owners[$0] }.map { .notAllowed(module: $0.name, last) }
        case .wrongLifetime:
            return askers.last { definitions[$0]?.lifetime == .shared }.map {
                .wrongLifetime(captor: $0, last)
            }
        case .cycle: return askers.firstIndex(of: last).map { .circle(Set(path[$0...])) }
        case .factoryFailed: return .failing(last)
        default: return nil
        }
    }

    /// Returns the dependencies of a buildable definition.
    func edges(of number: Int) -> [(to: Int, kind: EdgeKind)] {
        guard let definition = definitions[number] else { return [] }
        return definition.dependencies.compactMap { dependency in
            switch dependency {
            case .needed(let target): return (target, .direct)
            case .attempted(let target):
                return refusal(of: target, by: number, isHeld: false) == .notAllowed ? nil : (target, .direct)
            case .later(let target): return (target, .deferred)
            case .list: return nil
            }
        }
    }

    // MARK: - Simulated builds

    /// Finds the definitions whose requirements can all be built: the least fixed point.
    private mutating func findBuildable() {
        let all = definitions.values.flatMap { definition in [(definition, true), (definition, false)] }
            .sorted { $0.0.number > $1.0.number }
        var count = -1
        while buildable.count != count {
            count = buildable.count
            for (definition, isHeld) in all where !definition.fails {
                let inner = isHeld || definition.lifetime == .shared
                let isPossible = needs(of: definition).allSatisfy { target, refusal in
                    refusal(inner) == nil && buildable.contains(Situation(number: target, isHeld: inner))
                }
                if isPossible { buildable.insert(Situation(number: definition.number, isHeld: isHeld)) }
            }
        }
    }

    /// Returns the required dependencies of a definition in order, each with the reason to refuse it.
    private func needs(of definition: RandomModule.Definition) -> [(Int, (_ isHeld: Bool) -> ErrorCode?)] {
        definition.dependencies.flatMap { dependency -> [(Int, (Bool) -> ErrorCode?)] in
            switch dependency {
            case .needed(let target):
                return [(target, { refusal(of: target, by: definition.number, isHeld: $0) })]
            case .list:
                return elements.map { element in
                    (element.number, { element.lifetime == .entry && $0 ? .wrongLifetime : nil })
                }
            case .attempted, .later: return []
            }
        }
    }

    private func refusal(of target: Int, by requester: Int, isHeld: Bool) -> ErrorCode? {
        guard let definition = definitions[target], let owner = owners[target] else { return .notRegistered }
        if owners[requester]?.reaches(owner) != true { return .notAllowed }
        return definition.lifetime == .entry && isHeld ? .wrongLifetime : nil
    }

    /// Returns the path and the code of the error of a definition that can't be built.
    private func failure(of number: Int, isHeld: Bool, path: [Int]) -> (path: [Int], code: ErrorCode) {
        guard let definition = definitions[number] else { return (path, .notRegistered) }
        let inner = isHeld || definition.lifetime == .shared
        for (target, refusal) in needs(of: definition) {
            if let code = refusal(inner) { return (path + [target], code) }
            if path.contains(target) { return (path + [target], .cycle) }
            if !buildable.contains(Situation(number: target, isHeld: inner)) {
                return failure(of: target, isHeld: inner, path: path + [target])
            }
        }
        return (path, .factoryFailed)
    }
}
