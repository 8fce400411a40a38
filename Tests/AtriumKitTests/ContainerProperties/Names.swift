@_spi(Host) @testable import AtriumKit

/// The names that the container gives to the definitions of random modules.
struct Names {
    private var numbers: [String: Int] = [:]
    private var elements: Set<String> = []

    init(_ modules: [RandomModule]) {
        // Missing dependencies have numbers too.
        let highest = modules.flatMap(\.definitions).map(\.number).max() ?? 0
        for number in 0...(highest * 2 + 8) { numbers[NodeAddress(number: number).name] = number }
        for module in modules {
            for (index, definition) in module.definitions.filter({ $0.order != nil }).enumerated() {
                let name = "Node 'nodes, \(module.name) \(index + 1)'"
                numbers[name] = definition.number
                elements.insert(name)
            }
        }
    }

    func number(_ name: String) -> Int? { numbers[name] }

    func isElement(_ name: String) -> Bool { elements.contains(name) }
}
