import FoundationEssentials
import Glibc

/// Checks the architecture rules that neither types nor linking can enforce.
///
/// Reads the compiler's index of a debug build, so comments don't count and neither an alias nor an inferred
/// type hides anything. The plugin CheckArchitecture and the project's tests run it.
@main
struct ArchitectureTool {
    static func main() {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            let report = try check(options)
            let text = try report.text(asJSON: options.printsJSON, withChecklist: options.printsChecklist)
            print(text, terminator: "")
            exit(report.lines.isEmpty ? 0 : 1)
        } catch {
            _ = "error: \(error)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
            exit(2)
        }
    }

    private static func check(_ options: Options) throws -> Report {
        let library = try options.library ?? IndexStore.toolchainLibrary()
        let store = try IndexStore(path: options.store, library: library)
        var report = Report()
        for target in options.targets { report.check(try CodeBase(target, in: store)) }
        return report
    }
}

struct Options {
    private(set) var store: String
    private(set) var library: String?
    private(set) var printsJSON = false
    private(set) var printsChecklist = false
    private(set) var targets: [CheckedTarget] = []

    static let help = """
        usage: ArchitectureTool --store INDEX [--library FILE] [--json] [--checklist] [--module FOLDER]…
               [--sdk FOLDER]… [--host FOLDER]…

          --store INDEX    the compiler's index: .build/debug/index/store after 'swift build'
          --library FILE   the toolchain's libIndexStore; without it, the one beside the 'swiftc' in PATH
          --json           an object for each violation, and one with the counts, one a line
          --checklist      also the anti-patterns of the design documents, with the verdict on each
          --module FOLDER  the sources of a feature module, with its module.json
          --sdk FOLDER     the sources of a library that modules see
          --host FOLDER    sources that belong to no module

        Exits with 0 if no rule is broken, 1 if one is, 2 if the check can't run.
        """

    /// - Throws: ``CheckError`` if an argument is wrong or missing, or a folder does not exist.
    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var store: String?
        while let option = rest.popFirst() {
            func value() throws -> String {
                guard let value = rest.popFirst() else { throw CheckError.usage("'\(option)' needs a value") }
                return value
            }
            switch option {
            case "--json": printsJSON = true
            case "--checklist": printsChecklist = true
            case "--store": store = try value()
            case "--library": library = try value()
            case "--module": targets.append(try .module(value()))
            case "--sdk": targets.append(try CheckedTarget(value(), role: .sdk))
            case "--host": targets.append(try CheckedTarget(value(), role: .host))
            default: throw CheckError.usage("'\(option)' is no option")
            }
        }
        guard let store else { throw CheckError.usage("'--store' is missing") }
        guard !targets.isEmpty else { throw CheckError.usage("no folder to check") }
        self.store = store
    }
}

/// Why the check can't run, and what to do about it.
struct CheckError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    static func usage(_ problem: String) -> CheckError { CheckError("\(problem)\n\(Options.help)") }
}
