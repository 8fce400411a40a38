import Foundation

/// Checks the rules of the architecture that neither types nor linking can hold, in code that was built.
///
/// Reads what the compiler itself wrote about each symbol's use, so a name in a comment is nothing, and an
/// alias or an inferred type hides nothing. Run by the plugin CheckArchitecture and by the project's own
/// tests.
@main
struct ArchitectureTool {
    static func main() {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            let report = try check(options)
            FileHandle.standardOutput.write(Data(try report.text(asJSON: options.printsJSON).utf8))
            exit(report.lines.isEmpty ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func check(_ options: Options) throws -> Report {
        let library = try options.library ?? Toolchain.indexLibrary()
        let reader = CodeReader(store: try IndexStore(path: options.store, library: library))
        var report = Report()
        for target in options.targets { report.check(try reader.read(target)) }
        return report
    }
}
