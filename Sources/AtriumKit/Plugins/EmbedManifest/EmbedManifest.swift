import Foundation
import PackagePlugin

/// Turns a target's `module.json`, or the `contract.json` of a contract, into the Swift file that embeds it in
/// the library.
///
/// `ManifestTool` does the work; it reads the screens from the sources, unless the manifest lists them. It
/// fails the build, with file and line, if the manifest is invalid, a screen can't be read, or the numbers of
/// the module's migrations have gaps.
@main
struct EmbedManifest: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let contract = target.directoryURL.appending(path: "contract.json")
        let isContract = FileManager.default.fileExists(atPath: contract.path(percentEncoded: false))
        let manifest = isContract ? contract : target.directoryURL.appending(path: "module.json")
        let output = context.pluginWorkDirectoryURL.appending(
            path: isContract ? "ContractManifest.swift" : "ModuleEntry.swift")
        let compiler = try context.tool(named: "swiftc").url
        let sources = target.sourceFiles(withSuffix: ".swift").map(\.url)
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
                environment: libraries(of: compiler),
                inputFiles: inputs(manifest, compiler) + sources,
                outputFiles: [output])
        ]
    }

    /// The variables by which the tool finds the parser of the toolchain in use: that of an installed SDK was
    /// linked with a toolchain in another place.
    private func libraries(of compiler: URL) -> [String: String] {
        let folder = compiler.resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "lib/swift").path(percentEncoded: false)
        return ["LD_LIBRARY_PATH": "\(folder)/host:\(folder)/linux"]
    }

    /// The manifest, and the compiler, whose version goes into the output.
    ///
    /// Leaves out a missing manifest, so that the tool reports it and not the build system.
    private func inputs(_ manifest: URL, _ compiler: URL) -> [URL] {
        let exists = FileManager.default.fileExists(atPath: manifest.path(percentEncoded: false))
        return exists ? [manifest, compiler] : [compiler]
    }
}
