internal import Glibc

/// The symbols that this process offers to a library: those of the executable and of what it links.
///
/// Libraries that were opened later are left out, as the loader leaves them out too.
enum LoadedSymbols {
    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?

    /// The Swift runtime exports it for tools; no module declares it.
    private static let demangle = dlsym(nil, "swift_demangle").map { unsafeBitCast($0, to: Demangle.self) }

    /// Whether there is a symbol of this name.
    static func contains(_ name: String) -> Bool {
        // No handle is RTLD_DEFAULT.
        dlsym(nil, name) != nil
    }

    /// The declaration that a mangled name of Swift stands for; nil for any other name.
    static func demangled(_ name: String) -> String? {
        guard let text = demangle?(name, name.utf8.count, nil, nil, 0) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
