// Appended to a copy of the project's Package.swift by sanitize.py, behind the list `sanitized` of test targets.

package.targets.append(
    .testTarget(
        name: "PlantedTests", path: "Tests/Sanitizer", sources: ["Counting", "Planted"],
        swiftSettings: settings))

/// These targets, and what they are made of.
@MainActor func withDependencies(_ names: Set<String>) -> Set<String> {
    let needed = package.targets.filter { names.contains($0.name) }.flatMap(\.dependencies).compactMap {
        if case .byNameItem(let name, _) = $0 { name } else { nil }
    }
    let all = names.union(needed)
    return all == names ? names : withDependencies(all)
}

let kept = withDependencies(Set(sanitized))
package.targets.removeAll { !kept.contains($0.name) }
package.products = []
