import Foundation
import PackagePlugin

/// Generates the version of the compiler that builds the host, in the form that modules are stamped with.
@main
struct StampCompiler: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let output = context.pluginWorkDirectoryURL.appending(path: "HostCompiler.swift")
        let compiler = try context.tool(named: "swiftc").url
        return [
            .buildCommand(
                displayName: "Stamping \(target.name) with the compiler's version",
                executable: try context.tool(named: "ManifestTool").url,
                arguments: [
                    "--stamp-compiler",
                    "--output", output.path(percentEncoded: false),
                    "--swiftc", compiler.path(percentEncoded: false),
                ],
                inputFiles: [compiler],
                outputFiles: [output])
        ]
    }
}
