// torture.py appends this to a copy of Package.swift: the fuzzer, with what it needs, and nothing else.

package.targets.append(
    .executableTarget(
        name: "fuzz",
        dependencies: [
            kit, manifest, "AtriumCommands", "AtriumLanguage", "AtriumLineEditor", "AtriumMCP",
            "AtriumCrash", "AtriumLibraries", "AtriumModules", "AtriumNavigation", "AtriumNetworking",
            "AtriumPrompt", "AtriumServing",
            "AtriumSession", "AtriumStorage", "AtriumText", "MainQueue",
        ],
        path: "Tests/Torture/Fuzz", exclude: ["Corpus", "Short", "Selection.swift"],
        sources: ["Targets", "Driver"],
        swiftSettings: settings,
        // Not -sanitize=fuzzer, which links another main.
        linkerSettings: [
            .unsafeFlags([
                "-use-ld=lld", "-Xlinker", Context.environment["ATRIUM_FUZZER_LIBRARY"] ?? "", "-lstdc++",
            ])
        ]))

@MainActor func withDependencies(_ names: Set<String>) -> Set<String> {
    let needed = package.targets.filter { names.contains($0.name) }.flatMap(\.dependencies).compactMap {
        if case .byNameItem(let name, _) = $0 { name } else { nil }
    }
    let all = names.union(needed)
    return all == names ? names : withDependencies(all)
}

let kept = withDependencies(["fuzz"])
package.targets.removeAll { !kept.contains($0.name) }
package.products = []
