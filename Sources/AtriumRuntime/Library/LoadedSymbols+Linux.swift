internal import Glibc

/// The symbols that this process can give to a library: those of the executable and of what it links.
///
/// Libraries that were opened later are left out, as the loader leaves them out too.
enum LoadedSymbols {
    /// Whether there is a symbol of this name.
    static func contains(_ name: String) -> Bool {
        // No handle is what C calls RTLD_DEFAULT.
        dlsym(nil, name) != nil
    }

    /// A mangled name of Swift's as text; nil where it is none.
    static func demangled(_ name: String) -> String? {
        typealias Demangle =
            @convention(c) (
                UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
            ) -> UnsafeMutablePointer<CChar>?
        // The runtime exports it for tools; no module declares it.
        guard let symbol = dlsym(nil, "swift_demangle") else { return nil }
        let demangle = unsafeBitCast(symbol, to: Demangle.self)
        guard let text = demangle(name, name.utf8.count, nil, nil, 0) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
