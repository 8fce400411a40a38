package import AtriumManifest

/// The build requirements of a library that this host can load.
package enum Contract {
    /// The compiler that built this host.
    package static var compiler: String { HostCompiler.version }

    /// Checks the stamps that the build put into the manifest.
    package static func check(_ manifest: ModuleManifest) throws {
        try check(
            manifest.name, sdk: manifest.sdk, inlinedLayout: manifest.inlinedLayout,
            compiler: manifest.compiler)
    }

    package static func check(
        _ name: String, sdk: SemanticVersion?, inlinedLayout: Int?, compiler: String?
    ) throws(ModuleError) {
        let host = SDKVersion.current
        guard let sdk, (SDKVersion.oldest...host).contains(sdk) else {
            throw ModuleError(
                .incompatible,
                "Module '\(name)' was built against AtriumKit "
                    + "\(sdk?.description ?? "of an unknown version"), this host has \(host).",
                hint: "Build the module against AtriumKit \(host).")
        }
        guard inlinedLayout == SDKVersion.inlinedLayout else {
            throw ModuleError(
                .incompatible,
                "Module '\(name)' was built with layout \(inlinedLayout ?? 0) of AtriumKit's "
                    + "inlined code, this host has layout \(SDKVersion.inlinedLayout).",
                hint: "Build the module against this host's AtriumKit.")
        }
        guard let compiler, compiler == HostCompiler.version else {
            throw ModuleError(
                .incompatible,
                "Module '\(name)' was built by Swift \(compiler ?? "of an unknown version"), "
                    + "this host by Swift \(HostCompiler.version).",
                hint: "Build the module with Swift \(HostCompiler.version).")
        }
    }

    /// Checks that this host's AtriumKit has the symbols that the library needs; none of its code runs.
    ///
    /// The loader would refuse the library as well, but report only the first missing symbol, mangled.
    /// Symbols missing from other libraries are left to it.
    ///
    /// - Throws: ``ModuleError`` that names what is missing, or that the library's tables are damaged.
    package static func checkSymbols(of library: ELFFile, _ name: String) throws {
        let missing = missingDeclarations(try library.undefinedSymbols())
        guard !missing.isEmpty else { return }
        // A message names five and counts the others.
        var needs = missing.prefix(5).map { "'\($0)'" }
        if missing.count > needs.count { needs.append("\(missing.count - needs.count) more") }
        let last = needs.removeLast()
        let sentence = needs.isEmpty ? last : "\(needs.joined(separator: ", ")) and \(last)"
        throw ModuleError(
            .incompatible,
            "Module '\(name)' needs \(sentence), which AtriumKit \(SDKVersion.current) of this host does not have.",
            hint: "Build the module against this host's AtriumKit.")
    }

    /// The declarations of AtriumKit that these symbols belong to and that this process lacks, demangled.
    ///
    /// Members of a missing type are left out.
    static func missingDeclarations(_ symbols: [String]) -> [String] {
        // The lookup is cheaper than searching the name.
        let missing = symbols.filter { !LoadedSymbols.contains($0) && $0.contains("9AtriumKit") }
        var names: [String] = []
        for name in Set(missing.compactMap(declaration)).sorted() {
            if let last = names.last, name.hasPrefix(last + ".") { continue }
            names.append(name)
        }
        return names
    }

    /// The demangled declaration of AtriumKit that a symbol belongs to; nil if another library defines it.
    ///
    /// The symbol's kind before the name, such as "dispatch thunk of", is left out: one declaration has
    /// many symbols.
    static func declaration(_ symbol: String) -> String? {
        guard let text = LoadedSymbols.demangled(symbol) else { return nil }
        if let start = text.firstRange(of: "(extension in ")?.upperBound {
            return text[start...].hasPrefix("AtriumKit)") ? String(text[start...].dropFirst(11)) : nil
        }
        if text.contains(" : ") && text.contains("conformance") || text.contains("witness table") {
            return text.hasSuffix(" in AtriumKit") ? text : nil
        }
        let isOfKit =
            symbol.hasPrefix("$s9AtriumKit") || text.hasPrefix("associated type descriptor for AtriumKit.")
        guard isOfKit, let start = text.firstRange(of: "AtriumKit.")?.lowerBound else { return nil }
        return String(text[start...])
    }
}
