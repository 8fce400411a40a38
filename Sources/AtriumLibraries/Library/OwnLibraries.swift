internal import AtriumKit
internal import AtriumManifest
internal import Glibc

/// Refuses modules that bring libraries other than contracts, before they are opened (Docs/decisions/0074).
///
/// A module is opened as a copy in the store, so the loader does not find libraries beside the original. It
/// also keeps one library per name permanently, so the module's next build would run the old one.
package enum OwnLibraries {
    /// - Parameters:
    ///   - library: The copy to open.
    ///   - owner: The module or contract, as the subject of a sentence.
    ///   - source: Its original path.
    ///   - contracts: The contracts that are opened before it.
    /// - Throws: ``ModuleError`` that names the library and a next step.
    package static func check(
        _ library: ELFFile, _ owner: String, at source: String, contracts: [CheckedContract] = []
    ) throws {
        let linkage = try library.linkage()
        let provided = Set(contracts.map(\.libraryName))
        let origin = FileSystem.folder(of: source)
        for needed in linkage.needed where !provided.contains(needed) && !isLoaded(needed) {
            let absolute = linkage.runPaths.filter { $0.hasPrefix("/") } + systemFolders
            guard !absolute.contains(where: { FileSystem.exists("\($0)/\(needed)") }) else { continue }
            let relative = linkage.runPaths.filter { $0.hasPrefix("$ORIGIN") || $0.hasPrefix("${ORIGIN}") }
            let folders = relative.map { origin + $0.drop { $0 != "/" } } + [origin]
            // A contract that was just built has no version in the name of its file.
            let file = needed.replacing(/\.so\.\d+$/, with: ".so")
            let paths = folders.flatMap { ["\($0)/\(needed)", "\($0)/\(file)"] }
            if let path = paths.first(where: FileSystem.exists).map(FileSystem.normalized) {
                throw DiscoveredContract.isContract(path)
                    ? ModuleError.undeclared(owner, needed, path) : ModuleError.ownLibrary(owner, path)
            }
        }
    }

    /// Refuses a module or contract that was linked with a copy of AtriumKit.
    ///
    /// The loader would open it, and its types would differ from the host's. A contract need not be linked with AtriumKit.
    static func checkKit(of library: ELFFile, _ owner: String, isContract: Bool = false) throws {
        let needed = try library.linkage().needed
        let hasHiddenKit = !isContract && !needed.isEmpty && !needed.contains("libAtriumKit.so")
        if try hasHiddenKit || library.defines(kitSymbol) { throw ModuleError.ownKit(owner) }
    }

    /// Checks that a module is linked with no other major version of a contract than its manifest names.
    static func checkContracts(of library: ELFFile, _ manifest: ModuleManifest) throws {
        guard !manifest.contracts.isEmpty else { return }
        let needed = try library.linkage().needed
        for contract in manifest.contracts {
            let others = needed.filter {
                $0.hasPrefix("lib\(contract.name).so") && $0 != contract.contractLibrary
            }
            guard others.isEmpty else { throw ModuleError.otherMajor(manifest.name, contract, others) }
        }
    }

    /// The descriptor of protocol FeatureModule: a library that defines it contains AtriumKit.
    private static let kitSymbol = "$s9AtriumKit13FeatureModuleMp"

    /// The loader's default folders on the systems that Swift supports.
    private static let systemFolders = ["/lib", "/usr/lib", "/lib64", "/usr/lib64"].flatMap { folder in
        [folder, "\(folder)/x86_64-linux-gnu", "\(folder)/aarch64-linux-gnu"]
    }

    /// True if the process already has a library of this name, which the loader then reuses.
    private static func isLoaded(_ name: String) -> Bool {
        dlopen(name, RTLD_LAZY | RTLD_NOLOAD) != nil
    }
}

extension ModuleError {
    fileprivate static func ownLibrary(_ owner: String, _ path: String) -> ModuleError {
        ModuleError(
            .ownLibrary,
            "\(owner) brings a library of its own, '\(path)', which a host that replaces modules can't load.",
            hint: "Link it statically: in Package.swift, make it a target, or a product of type .static.")
    }

    fileprivate static func ownKit(_ owner: String) -> ModuleError {
        ModuleError(
            .ownLibrary,
            "\(owner) has a copy of AtriumKit in it, whose types are not those of the host.",
            hint: "Link AtriumKit dynamically: in Package.swift, depend on its product AtriumKit.")
    }

    fileprivate static func undeclared(_ owner: String, _ needed: String, _ path: String) -> ModuleError {
        ModuleError(
            .ownLibrary, "\(owner) is linked with the contract '\(path)', which its manifest does not name.",
            hint: "Name it under \"contracts\", with the versions of '\(needed)' that it works with.")
    }

    fileprivate static func otherMajor(
        _ module: String, _ contract: Requirement, _ others: [String]
    ) -> ModuleError {
        let linked = others.map { "'\($0)'" }.joined(separator: " and ")
        return ModuleError(
            .incompatible,
            "Module '\(module)' names the contract \(contract), but is linked with \(linked).",
            hint: "Build it on one major version, and name that one under \"contracts\" of module.json.")
    }
}

extension ErrorCode {
    static let ownLibrary: ErrorCode = "ownLibrary"
}
