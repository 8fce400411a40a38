import Foundation
import PackagePlugin

/// `swift package check-architecture`: builds the package, then checks it by the rules of the architecture.
///
/// A target with a `module.json` is a feature module; the general rules apply to all other code. `--target
/// NAME`, which may be repeated, checks only those targets; `--json` and `--checklist` are passed on.
@main
struct CheckArchitecture: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var arguments = ArgumentExtractor(arguments)
        let named = Set(arguments.extractOption(named: "target"))
        let targets = context.package.targets.compactMap { $0 as? SwiftSourceModuleTarget }
            .filter { $0.kind != .test && (named.isEmpty || named.contains($0.name)) }
        if let unknown = named.subtracting(targets.map(\.name)).min() {
            return Diagnostics.error("this package has no target '\(unknown)' with Swift sources")
        }
        guard try build() else { return }
        try check(targets, arguments.remainingArguments, context)
    }

    private func build() throws -> Bool {
        let result = try packageManager.build(
            .all(includingTests: false), parameters: .init(configuration: .debug, logging: .concise))
        if !result.succeeded {
            print(result.logText)
            Diagnostics.error("the package does not build; the architecture was not checked")
        }
        return result.succeeded
    }

    private func check(
        _ targets: [SwiftSourceModuleTarget], _ arguments: [String], _ context: PluginContext
    ) throws {
        // The plugin's folder is 'plugins/NAME/outputs' of the folder in which the package is built.
        let scratch = context.pluginWorkDirectoryURL
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let libraries = try context.tool(named: "swiftc").url.resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "lib")
        let process = Process()
        // The tool of an installed SDK was linked with a toolchain in another place.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["LD_LIBRARY_PATH": "\(libraries.path)/swift/host:\(libraries.path)/swift/linux"]) { $1 }
        process.executableURL = try context.tool(named: "ArchitectureTool").url
        process.arguments =
            [
                "--store", scratch.appending(path: "debug/index/store").path,
                "--library", libraries.appending(path: Self.indexLibrary).path,
            ]
            + targets.flatMap { [isModule($0) ? "--module" : "--host", $0.directoryURL.path] } + arguments
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }

    private func isModule(_ target: SwiftSourceModuleTarget) -> Bool {
        FileManager.default.fileExists(atPath: target.directoryURL.appending(path: "module.json").path)
    }

    #if canImport(Darwin)
        private static let indexLibrary = "libIndexStore.dylib"
    #else
        private static let indexLibrary = "libIndexStore.so"
    #endif
}
