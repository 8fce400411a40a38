@_spi(Host) package import AtriumKit
internal import Glibc

/// A module library that is mapped into this process.
///
/// It is never closed: after a dlclose of a Swift library, the next dynamic cast anywhere crashes
/// (Docs/decisions/0003).
@MainActor
package struct DynamicLibrary {
    private typealias Entry = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// The symbol that the build generates for every module.
    private static let entrySymbol = "atrium_module_create"

    /// An address in the library; nil if nothing was mapped.
    package let address: UnsafeRawPointer?
    /// Creates the module's class; no dynamic cast is involved, as the library returns the existential.
    package let makeModule: @MainActor () -> (any FeatureModule)?

    package init(address: UnsafeRawPointer?, makeModule: @escaping @MainActor () -> (any FeatureModule)?) {
        (self.address, self.makeModule) = (address, makeModule)
    }

    /// Maps a module's library; none of its code runs if a symbol that it needs is missing.
    ///
    /// Its contracts have to be mapped: the loader finds them by their SONAMEs.
    ///
    /// - Throws: ``ModuleError`` if the system's loader refuses it, or it has no entry.
    package static func open(_ library: CheckedLibrary) throws -> DynamicLibrary {
        let handle = try map(
            library.copy, "module '\(library.name)'", at: library.source, library.contracts)
        guard let symbol = dlsym(handle, entrySymbol) else {
            throw ModuleError.noEntry(library.name, symbol: entrySymbol)
        }
        let entry = unsafeBitCast(symbol, to: Entry.self)
        return DynamicLibrary(address: UnsafeRawPointer(symbol)) {
            var module: (any FeatureModule)?
            withUnsafeMutablePointer(to: &module) { entry(UnsafeMutableRawPointer($0)) }
            return module
        }
    }

    /// Maps a contract's library for good, after those that it needs itself.
    ///
    /// - Throws: ``ModuleError`` if the system's loader refuses it.
    package static func open(_ contract: CheckedContract) throws {
        _ = try map(contract.copy, "contract '\(contract.name)'", at: contract.source, [])
    }

    private static func map(
        _ library: StoredLibrary, _ owner: String, at source: String, _ contracts: [CheckedContract]
    ) throws -> UnsafeMutableRawPointer {
        let path = library.path
        if let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) { return handle }
        let reason = lastError(hiding: path)
        // Without a preflight, this has not been checked before.
        let file = try ELFFile(RandomAccessFile(path, copiedFrom: source))
        let subject = owner.prefix(1).uppercased() + owner.dropFirst()
        try OwnLibraries.check(file, subject, at: source, contracts: contracts)
        if !contracts.isEmpty { try Compatibility.checkSymbols(of: file, subject, contracts) }
        if let folder = FileSystem.folderWithoutExecution(of: path) {
            throw ModuleError.noExecution(owner, folder)
        }
        throw ModuleError.notLoadable(owner, reason: reason)
    }

    private static func lastError(hiding path: String) -> String {
        guard let text = dlerror() else { return "the loader gives no reason" }
        let reason = String(cString: text)
        return reason.hasPrefix(path + ": ") ? String(reason.dropFirst(path.count + 2)) : reason
    }
}

/// The symbols that this process offers to a library: those of the executable and its linked libraries.
///
/// Libraries opened later are left out, as the loader leaves them out too.
package enum LoadedSymbols {
    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?

    /// The Swift runtime exports it for tools; no module declares it.
    private static let demangle = dlsym(nil, "swift_demangle").map { unsafeBitCast($0, to: Demangle.self) }

    /// True if there is a symbol with this name.
    static func contains(_ name: String) -> Bool {
        // A nil handle is RTLD_DEFAULT.
        dlsym(nil, name) != nil
    }

    /// The Swift declaration for a mangled name; nil for any other name.
    package static func demangled(_ name: String) -> String? {
        guard let text = demangle?(name, name.utf8.count, nil, nil, 0) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
