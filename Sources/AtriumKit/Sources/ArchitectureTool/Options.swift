/// The arguments of the tool.
struct Options {
    private(set) var store: String
    private(set) var library: String?
    private(set) var printsJSON = false
    private(set) var targets: [CheckedTarget] = []

    static let help = """
        usage: ArchitectureTool --store INDEX [--library FILE] [--json] [--module FOLDER]… [--sdk FOLDER]…
               [--host FOLDER]…

          --store INDEX    where the compiler wrote the index: .build/debug/index/store after 'swift build'
          --library FILE   the toolchain's libIndexStore; without it, the one beside the 'swiftc' in PATH
          --json           an object for each violation, one a line
          --module FOLDER  the sources of a feature module, with its module.json
          --sdk FOLDER     the sources of a library that modules see
          --host FOLDER    sources that are no part of a module

        Exits with 0 where no rule is broken, 1 where one is, 2 where the check can't be made.
        """

    /// - Throws: ``CheckError`` where an argument is wrong or missing, or a folder is not there.
    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var store: String?
        while let option = rest.popFirst() {
            if option == "--json" {
                printsJSON = true
                continue
            }
            guard ["--store", "--library", "--module", "--sdk", "--host"].contains(option) else {
                throw CheckError.usage("'\(option)' is no option")
            }
            guard let value = rest.popFirst() else { throw CheckError.usage("'\(option)' needs a value") }
            switch option {
            case "--store": store = value
            case "--library": library = value
            case "--module": targets.append(try .module(value))
            case "--sdk": targets.append(try .other(value, role: .sdk))
            default: targets.append(try .other(value, role: .host))
            }
        }
        guard let store else { throw CheckError.usage("'--store' is missing") }
        guard !targets.isEmpty else { throw CheckError.usage("nothing is named that could be checked") }
        self.store = store
    }
}
