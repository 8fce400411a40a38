internal import AtriumKit
internal import Glibc

/// Refuses modules that bring their own libraries, before they are opened (Docs/decisions/0027).
///
/// A module is opened as a copy in the store, so the loader does not find libraries beside the original. It
/// also keeps one library per name permanently, so the module's next build would run the old one.
package enum OwnLibraries {
    /// - Parameters:
    ///   - library: The copy to open.
    ///   - name: The module.
    ///   - source: The original path of the module.
    /// - Throws: ``ModuleError`` that names the library and a next step.
    package static func check(_ library: ELFFile, _ name: String, at source: String) throws {
        let linkage = try library.linkage()
        let origin = FileSystem.folder(of: source)
        for needed in linkage.needed where !isLoaded(needed) {
            let absolute = linkage.runPaths.filter { $0.hasPrefix("/") } + systemFolders
            guard !absolute.contains(where: { FileSystem.exists("\($0)/\(needed)") }) else { continue }
            let relative = linkage.runPaths.filter { $0.hasPrefix("$ORIGIN") || $0.hasPrefix("${ORIGIN}") }
            let folders = relative.map { origin + $0.drop { $0 != "/" } } + [origin]
            if let folder = folders.first(where: { FileSystem.exists("\($0)/\(needed)") }) {
                throw ModuleError.ownLibrary(name, FileSystem.normalized("\(folder)/\(needed)"))
            }
        }
    }

    /// Refuses a module that was linked with a copy of AtriumKit: the loader would open it, and its types
    /// would differ from the host's.
    static func checkKit(of library: ELFFile, _ name: String) throws {
        let needed = try library.linkage().needed
        let hasHiddenKit = !needed.isEmpty && !needed.contains("libAtriumKit.so")
        if try hasHiddenKit || library.defines(kitSymbol) { throw ModuleError.ownKit(name) }
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
    fileprivate static func ownLibrary(_ module: String, _ path: String) -> ModuleError {
        ModuleError(
            .ownLibrary,
            "Module '\(module)' brings a library of its own, '\(path)', which a host that replaces modules can't "
                + "load.",
            hint: "Link it statically: in Package.swift, make it a target, or a product of type .static.")
    }

    fileprivate static func ownKit(_ module: String) -> ModuleError {
        ModuleError(
            .ownLibrary,
            "Module '\(module)' has a copy of AtriumKit in it, whose types are not those of the host.",
            hint: "Link AtriumKit dynamically: in Package.swift, depend on its product AtriumKit.")
    }
}

extension ErrorCode {
    static let ownLibrary: ErrorCode = "ownLibrary"
}
