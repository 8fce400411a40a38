package import AtriumManifest

/// The build requirements of a library that this host can load.
package enum Compatibility {
    package static var compiler: String { HostCompiler.version }

    /// Checks the stamps that the build put into the manifest.
    package static func check(_ manifest: ModuleManifest) throws {
        try check(
            "Module '\(manifest.name)'", sdk: manifest.sdk, inlinedLayout: manifest.inlinedLayout,
            compiler: manifest.compiler)
    }

    /// `owner` begins a sentence: `Module 'Notes'`.
    package static func check(
        _ owner: String, sdk: SemanticVersion?, inlinedLayout: Int?, compiler: String?
    ) throws(ModuleError) {
        let host = SDKVersion.current
        guard let sdk, (SDKVersion.oldest...host).contains(sdk) else {
            throw ModuleError(
                .incompatible,
                "\(owner) was built against AtriumKit "
                    + "\(sdk?.description ?? "of an unknown version"), this host has \(host).",
                hint: "Build it against AtriumKit \(host).")
        }
        guard inlinedLayout == SDKVersion.inlinedLayout else {
            throw ModuleError(
                .incompatible,
                "\(owner) was built with layout \(inlinedLayout ?? 0) of AtriumKit's "
                    + "inlined code, this host has layout \(SDKVersion.inlinedLayout).",
                hint: "Build it against this host's AtriumKit.")
        }
        guard let compiler, compiler == HostCompiler.version else {
            throw ModuleError(
                .incompatible,
                "\(owner) was built by Swift \(compiler ?? "of an unknown version"), "
                    + "this host by Swift \(HostCompiler.version).",
                hint: "Build it with Swift \(HostCompiler.version).")
        }
    }

    /// Checks that this host's AtriumKit and the contracts have the symbols that a library needs from them; none
    /// of its code runs.
    ///
    /// The loader would refuse the library as well, but report only the first missing symbol, mangled.
    /// Symbols missing from other libraries are left to it.
    ///
    /// - Throws: ``ModuleError`` that names what is missing, or that the library's tables are damaged.
    package static func checkSymbols(
        of library: ELFFile, _ owner: String, _ contracts: [CheckedContract] = []
    ) throws {
        let symbols = try library.undefinedSymbols()
        try refuse(
            missingDeclarations(symbols), owner, "AtriumKit \(SDKVersion.current) of this host",
            hint: "Build it against this host's AtriumKit.")
        for contract in contracts where symbols.contains(where: { $0.contains(contract.mangledName) }) {
            let defined = try contract.definedSymbols()
            try refuse(
                missingDeclarations(symbols, of: contract.name) { defined.contains($0) }, owner,
                "\(contract.name) \(contract.version) at '\(contract.source)'",
                hint:
                    "Bring a version of \(contract.name) that has it. A module names the lowest version that "
                    + "it needs under \"contracts\"; a contract that removes something gets a new major version."
            )
        }
    }

    private static func refuse(
        _ missing: [String], _ owner: String, _ library: String, hint: String
    ) throws(ModuleError) {
        guard !missing.isEmpty else { return }
        // A message names five and counts the others.
        var needs = missing.prefix(5).map { "'\($0)'" }
        if missing.count > needs.count { needs.append("\(missing.count - needs.count) more") }
        let last = needs.removeLast()
        let sentence = needs.isEmpty ? last : "\(needs.joined(separator: ", ")) and \(last)"
        throw ModuleError(
            .incompatible, "\(owner) needs \(sentence), which \(library) does not have.", hint: hint)
    }

    /// The declarations of a library that these symbols belong to and that it lacks, demangled.
    ///
    /// Members of a missing type are left out.
    static func missingDeclarations(
        _ symbols: [String], of library: String = "AtriumKit",
        isDefined: (String) -> Bool = LoadedSymbols.contains
    ) -> [String] {
        // The lookup is cheaper than searching the name.
        let mangled = "\(library.utf8.count)\(library)"
        let missing = symbols.filter { !isDefined($0) && $0.contains(mangled) }
        var names: [String] = []
        for name in Set(missing.compactMap { declaration($0, of: library) }).sorted() {
            if let last = names.last, name.hasPrefix(last + ".") { continue }
            names.append(name)
        }
        return names
    }

    /// The demangled declaration of a library that a symbol belongs to; nil if another library defines it.
    ///
    /// The symbol's kind before the name, such as "dispatch thunk of", is left out: one declaration has
    /// many symbols.
    static func declaration(_ symbol: String, of library: String = "AtriumKit") -> String? {
        guard let text = LoadedSymbols.demangled(symbol) else { return nil }
        if let start = text.firstRange(of: "(extension in ")?.upperBound {
            return text[start...].hasPrefix("\(library))")
                ? String(text[start...].dropFirst(library.count + 2)) : nil
        }
        if text.contains(" : ") && text.contains("conformance") || text.contains("witness table") {
            return text.hasSuffix(" in \(library)") ? text : nil
        }
        let isOfLibrary =
            symbol.hasPrefix("$s\(library.utf8.count)\(library)")
            || text.hasPrefix("associated type descriptor for \(library).")
        guard isOfLibrary, let start = text.firstRange(of: "\(library).")?.lowerBound else { return nil }
        return String(text[start...])
    }
}
