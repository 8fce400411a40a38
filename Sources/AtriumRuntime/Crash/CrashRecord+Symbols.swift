extension CrashRecord {
    /// The record with the names of the functions, as far as the libraries' files have them.
    ///
    /// Reads the files of the modules, and of the host's own libraries where they are small; not to be called
    /// where somebody waits. A library that is not there any more leaves its frames without names.
    ///
    /// - Parameter limit: How large a file may be to be read, in bytes.
    /// - Returns: The record, its frames named where that was possible.
    package func symbolicated(limit: UInt64 = 64_000_000) -> CrashRecord {
        var tables: [Int: SymbolTable] = [:]
        for image in images where image.generation != nil || !image.isOfTheSystem {
            guard let file = try? RandomAccessFile(image.path), file.size <= limit else { continue }
            tables[image.number] = try? SymbolTable(file)
        }
        return with(
            frames.map { frame in
                guard let image = frame.image, let place = frame.place,
                    let name = tables[image]?.name(at: place)
                else { return frame }
                var frame = frame
                frame.symbol = SymbolName.readable(name, in: self.image(of: frame)?.name ?? "")
                return frame
            })
    }
}

extension CrashRecord.Frame {
    /// An address in the file that lies in the function: a call that is the last thing that a function does
    /// returns to behind its end.
    fileprivate var place: UInt64? {
        kind == .counter || kind == .waiting ? offset : offset.map { $0 &- 1 }
    }
}

extension CrashRecord.Image {
    /// Whether it is neither a module nor one of the host's own parts.
    fileprivate var isOfTheSystem: Bool {
        name.hasPrefix("lib") && !name.hasPrefix("libAtrium") && !name.hasPrefix("libswiftCore")
    }
}
