package import AtriumLibraries
internal import AtriumStorage

extension SnippetCompiler {
    /// A module that the code may name.
    package struct Module {
        package let name: String
        /// The file that is loaded, to which the code is linked.
        let loaded: String
        /// The folder with its interface, beside the original file.
        let interfaces: String
        /// The original file, its identity when it was loaded, and its digest.
        let (source, identity, digest): (String, String, String)
    }
}

extension SnippetCompiler.Module {
    package init(_ library: CheckedLibrary) {
        self.init(
            name: library.name, loaded: library.copy.path,
            interfaces: Self.interfaces(beside: library.source, of: .current), source: library.source,
            identity: library.identity, digest: library.digest)
    }

    /// The folder with the interface of a library: of a build, or of what is installed with the host.
    static func interfaces(beside source: String, of installation: Installation) -> String {
        let folder = FileSystem.folder(of: source)
        return folder == installation.modules ? installation.interfaces : "\(folder)/Modules"
    }
}

extension SnippetCompiler.Module {
    /// The module maps of the C targets and system libraries of its package, with their names: an interface
    /// does not say where the C modules are that it imports.
    fileprivate var moduleMaps: [(name: String, path: String)] {
        guard let end = source.firstRange(of: "/.build/")?.lowerBound else { return [] }
        let (sources, build) = ("\(source[..<end])/Sources", FileSystem.folder(of: source))
        return (Folder.names(in: sources) ?? []).compactMap { name in
            let folder = "\(sources)/\(name)"
            let isC = FileSystem.exists("\(folder)/include")
            let folders = [folder] + (isC ? ["\(folder)/include", "\(build)/\(name).build"] : [])
            return folders.map { "\($0)/module.modulemap" }.first { FileSystem.exists($0) }.map { (name, $0) }
        }
    }
}

extension [SnippetCompiler.Module] {
    /// How the compiler finds their interfaces, and what these import; a C module has one map.
    var searchOptions: [String] {
        var known: Set<String> = []
        let maps = flatMap(\.moduleMaps).filter { known.insert($0.name).inserted }
        return flatMap { ["-I", $0.interfaces] } + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }
}

/// The definitions of earlier code, each with its library and the modules that it may use.
///
/// Every file imports all of them, so what is compiled later may use what they use, named or not.
struct KeptDefinitions {
    private var kept:
        [(definition: SnippetSource.Definition, library: String, modules: [SnippetCompiler.Module])] = []

    var definitions: [SnippetSource.Definition] { kept.map(\.definition) }
    var libraries: [String] { kept.map(\.library) }

    /// The modules that code uses if it names these, each once.
    func used(naming modules: [SnippetCompiler.Module]) -> [SnippetCompiler.Module] {
        var known: Set<String> = []
        return (modules + kept.flatMap(\.modules)).filter { known.insert($0.loaded).inserted }
    }

    /// Keeps a definition, which replaces the one of its name.
    mutating func keep(
        _ definition: SnippetSource.Definition, in library: String, using modules: [SnippetCompiler.Module]
    ) {
        if let name = definition.name { kept.removeAll { $0.definition.name == name } }
        kept.append((definition, library, modules))
    }

    /// Removes and returns the definitions that use a file which is not that of an active generation: their
    /// types would be those of two builds.
    mutating func forgetOutdated(isActive: (String) -> Bool) -> [SnippetSource.Definition] {
        let before = kept
        kept.removeAll { !$0.modules.map(\.loaded).allSatisfy(isActive) }
        let left = Set(definitions)
        return before.map(\.definition).filter { !left.contains($0) }
    }
}
