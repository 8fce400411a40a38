import Glibc

/// Reads how much memory malloc has allocated.
enum Heap {
    /// Bytes in use in all arenas.
    ///
    /// Swift's import of the C library has no `malloc.h`, and a function that returns a structure, such as
    /// `mallinfo2`, can't be called through `dlsym`. `malloc_info` writes the same numbers as XML.
    static func bytesInUse() -> Int {
        typealias Info = @convention(c) (CInt, UnsafeMutablePointer<FILE>?) -> CInt
        guard let symbol = dlsym(nil, "malloc_info") else { preconditionFailure("glibc has malloc_info.") }
        let info = unsafeBitCast(symbol, to: Info.self)
        var text: UnsafeMutablePointer<CChar>?
        var size = 0
        let file = open_memstream(&text, &size)
        guard info(0, file) == 0, fclose(file) == 0, let text else {
            preconditionFailure("malloc_info could not write.")
        }
        defer { free(text) }
        // The totals over all arenas are the last elements of each kind.
        let lines = String(cString: text).split(separator: "\n").reversed()
        func last(_ start: String) -> Int {
            let line = lines.first { $0.hasPrefix(start) } ?? ""
            let value = line.split(separator: "\"").dropLast().last ?? ""
            return Int(value) ?? 0
        }
        return last("<system type=\"current\"") + last("<total type=\"mmap\"")
            - last("<total type=\"fast\"") - last("<total type=\"rest\"")
    }
}
