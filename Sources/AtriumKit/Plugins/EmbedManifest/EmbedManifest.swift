import Foundation
import PackagePlugin

/// Turns a target's `module.json` into the Swift file that embeds it in the library.
///
/// `ManifestTool` does the work; it fails the build, with file, line and field, if the manifest is invalid or
/// the numbers of the module's migrations have gaps.
@main
struct EmbedManifest: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let manifest = target.directoryURL.appending(path: "module.json")
        let output = context.pluginWorkDirectoryURL.appending(path: "ModuleEntry.swift")
        let compiler = try context.tool(named: "swiftc").url
        let sources = sourcesWithMigrations(of: target)
        return [
            .buildCommand(
                displayName: "Embedding the manifest of \(target.name)",
                executable: try context.tool(named: "ManifestTool").url,
                arguments: [
                    manifest.path(percentEncoded: false),
                    "--output", output.path(percentEncoded: false),
                    "--swiftc", compiler.path(percentEncoded: false),
                    "--sources",
                ] + sources.map { $0.path(percentEncoded: false) },
                inputFiles: inputs(manifest, compiler) + sources,
                outputFiles: [output])
        ]
    }

    /// The sources that may have migrations: a change of any other does not run the tool.
    private func sourcesWithMigrations(of target: any SourceModuleTarget) -> [URL] {
        target.sourceFiles(withSuffix: ".swift").map(\.url).filter { url in
            (try? String(contentsOf: url, encoding: .utf8))?.contains("igration") == true
        }
    }

    /// The manifest, and the compiler, whose version goes into the output.
    ///
    /// Leaves out a missing manifest, so that the tool reports it and not the build system.
    private func inputs(_ manifest: URL, _ compiler: URL) -> [URL] {
        let exists = FileManager.default.fileExists(atPath: manifest.path(percentEncoded: false))
        return exists ? [manifest, compiler] : [compiler]
    }
}
