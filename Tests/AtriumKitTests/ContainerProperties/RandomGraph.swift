@_spi(Host) import AtriumKit
import TestSupport

/// The parameters of random modules.
struct RandomGraph {
    /// The largest possible number of definitions.
    var size: Int
    /// The number of modules, among which the definitions are divided.
    var moduleCount: Int
    /// Per thousand: dependencies that lead back, definitions that are missing, modules not required.
    var back = 0, missing = 0, unreachable = 0
    /// How many of a thousand factories throw.
    var failing = 0
    /// Whether some dependencies are optional.
    var attempts = false

    /// Returns the module with this index, with random definitions.
    func module(_ position: Int, generation: Int = 1, _ generator: inout SeededGenerator) -> RandomModule {
        let names = (0..<moduleCount).map { "M\($0)" }
        let requires = names.filter { _ in !chance(unreachable, &generator) }
        let numbers = (0..<size).filter { $0 % moduleCount == position }
        var definitions = numbers.filter { _ in !chance(missing, &generator) }.map {
            definition($0, &generator)
        }
        definitions.shuffle(using: &generator)
        return RandomModule(
            name: names[position], generation: generation, requires: Set(requires), definitions: definitions)
    }

    /// Returns all modules.
    func modules(_ generator: inout SeededGenerator) -> [RandomModule] {
        (0..<moduleCount).map { module($0, &generator) }
    }

    private func definition(_ number: Int, _ generator: inout SeededGenerator) -> RandomModule.Definition {
        let isElement = isElement(number)
        let dependencies = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
            dependency(of: number, &generator)
        }
        let lifetimes = Array(repeating: Lifetime.shared, count: 5) + [.transient, .transient, .entry]
        return RandomModule.Definition(
            number: number, lifetime: lifetimes.randomElement(using: &generator) ?? .shared,
            dependencies: dependencies.filter { !isElement || $0 != .list },
            fails: chance(failing, &generator),
            order: isElement ? Int.random(in: 0...2, using: &generator) : nil)
    }

    private func dependency(of number: Int, _ generator: inout SeededGenerator) -> RandomModule.Dependency? {
        let isBack = chance(back, &generator)
        let range = isBack ? 0..<number + 1 : number + 1..<min(size, number + 1 + size / 4)
        guard let target = range.randomElement(using: &generator), !isElement(target) else {
            return isBack || isElement(number) ? nil : .list
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return .later(Int.random(in: 0..<size, using: &generator) | 1)
        case 2 where attempts: return .attempted(target)
        default: return .needed(target)
        }
    }

    /// Returns whether the definition is a contribution: the last one of some modules is.
    private func isElement(_ number: Int) -> Bool {
        number >= size - moduleCount && number.isMultiple(of: 2)
    }

    private func chance(_ ofThousand: Int, _ generator: inout SeededGenerator) -> Bool {
        Int.random(in: 0..<1000, using: &generator) < ofThousand
    }
}
