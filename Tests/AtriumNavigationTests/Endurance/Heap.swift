import Glibc

/// What malloc has given out.
enum Heap {
    /// Bytes in use in all arenas.
    ///
    /// The import of the C library leaves `malloc.h` out, and a structure, as `mallinfo2` returns one, can't be
    /// had through a pointer that was looked up. `malloc_info` writes the same numbers as XML.
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
        // The sums of all arenas are the last of their kind.
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
