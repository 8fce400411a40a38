@_spi(Host) internal import AtriumKit
internal import Glibc

/// A library in this process.
///
/// It is never closed: after a dlclose of a Swift library the next dynamic cast anywhere dies
/// (Docs/decisions/0003).
@MainActor
struct DynamicLibrary {
    /// The symbol that the build generates for every module.
    private static let entrySymbol = "atrium_module_create"
    private typealias Entry = @convention(c) (UnsafeMutableRawPointer) -> Void

    private let entry: Entry
    /// An address in the library.
    let address: UnsafeRawPointer

    /// Maps the library; runs none of its code where a symbol that it needs is missing.
    ///
    /// - Parameters:
    ///   - library: The copy in the store.
    ///   - name: The module's name, for messages.
    /// - Throws: ``ModuleError`` where the system's loader refuses it, or it has no entry.
    init(_ library: StoredLibrary, name: String) throws {
        guard let handle = dlopen(library.path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            throw ModuleError.notLoadable(name, reason: Self.lastError(hiding: library.path))
        }
        guard let symbol = dlsym(handle, Self.entrySymbol) else {
            throw ModuleError.noEntry(name, symbol: Self.entrySymbol)
        }
        entry = unsafeBitCast(symbol, to: Entry.self)
        address = UnsafeRawPointer(symbol)
    }

    /// Creates the module's class; no dynamic cast is involved, the library hands over the existential.
    func makeModule() -> (any FeatureModule)? {
        var module: (any FeatureModule)?
        withUnsafeMutablePointer(to: &module) { entry(UnsafeMutableRawPointer($0)) }
        return module
    }

    private static func lastError(hiding path: String) -> String {
        guard let text = dlerror() else { return "the loader gives no reason" }
        let reason = String(cString: text)
        return reason.hasPrefix(path + ": ") ? String(reason.dropFirst(path.count + 2)) : reason
    }
}
