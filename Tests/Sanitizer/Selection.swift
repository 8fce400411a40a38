// sanitize.py appends this to a copy of Package.swift, after the list `sanitized` of test targets.

package.targets.append(
    .testTarget(
        name: "PlantedTests", path: "Tests/Sanitizer", sources: ["Counting", "Planted"],
        swiftSettings: settings))

/// The named targets and all of their dependencies.
@MainActor func withDependencies(_ names: Set<String>) -> Set<String> {
    let needed = package.targets.filter { names.contains($0.name) }.flatMap(\.dependencies).compactMap {
        switch $0 {
        case .byNameItem(let name, _), .targetItem(let name, _): name
        default: nil
        }
    }
    let all = names.union(needed)
    return all == names ? names : withDependencies(all)
}

let kept = withDependencies(Set(sanitized))
package.targets.removeAll { !kept.contains($0.name) }
package.products = []
