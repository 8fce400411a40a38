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
        let compiler = try context.tool(named: "swiftc").url
        return [
            .buildCommand(
                displayName: "Embedding the manifest of \(target.name)",
                executable: try context.tool(named: "ManifestTool").url,
                arguments: [
                    manifest.path(percentEncoded: false),
                    "--output", output.path(percentEncoded: false),
                    "--swiftc", compiler.path(percentEncoded: false),
                ],
                inputFiles: inputs(manifest, compiler),
                outputFiles: [output])
        ]
    }

    /// The manifest, and the compiler, whose version goes into the output.
    ///
    /// A manifest that is missing is left out: the build system would stop with a message of its own, where
    /// the tool can say what belongs there.
    private func inputs(_ manifest: URL, _ compiler: URL) -> [URL] {
        let exists = FileManager.default.fileExists(atPath: manifest.path(percentEncoded: false))
        return exists ? [manifest, compiler] : [compiler]
    }
}
