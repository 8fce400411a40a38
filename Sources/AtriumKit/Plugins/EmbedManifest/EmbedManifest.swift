import Foundation
import PackagePlugin

/// Turns a target's `module.json` into the Swift file that embeds it in the library.
///
/// The work is done by `ManifestTool`, which fails the build with file, line and field where the
/// manifest is invalid.
@main
struct EmbedManifest: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let manifest = target.directoryURL.appending(path: "module.json")
        let output = context.pluginWorkDirectoryURL.appending(path: "ModuleEntry.swift")
        return [
            .buildCommand(
                displayName: "Embedding the manifest of \(target.name)",
                executable: try context.tool(named: "ManifestTool").url,
                arguments: [
                    manifest.path(), "--output", output.path(),
                    "--swiftc", try context.tool(named: "swiftc").url.path(),
                ],
                inputFiles: [manifest],
                outputFiles: [output])
        ]
    }
}
