@_spi(Host) @testable import AtriumKit

/// What the container calls the parts of random modules.
struct Names {
    private var numbers: [String: Int] = [:]
    private var elements: Set<String> = []

    init(_ modules: [RandomModule]) {
        // What is asked for and not there has a number too.
        let highest = modules.flatMap(\.parts).map(\.number).max() ?? 0
        for number in 0...(highest * 2 + 8) { numbers[PartAddress(number: number).name] = number }
        for module in modules {
            for (index, part) in module.parts.filter({ $0.order != nil }).enumerated() {
                let name = "Node 'nodes, \(module.name) \(index + 1)'"
                numbers[name] = part.number
                elements.insert(name)
            }
        }
    }

    func number(_ name: String) -> Int? { numbers[name] }

    func isElement(_ name: String) -> Bool { elements.contains(name) }
}
