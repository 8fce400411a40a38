internal import Glibc

extension Sequence<UInt8> {
    /// True if all bytes are printable ASCII characters, as in most text; `lineEnds` allows line feeds too.
    ///
    /// Looks at all bytes without a branch, many at a time.
    func arePlain(lineEnds: Bool = false) -> Bool {
        let lineEnd: UInt8 = lineEnds ? 0x0A : 0x20
        return withContiguousStorageIfAvailable { bytes in
            var others: UInt8 = 0
            for byte in bytes { others |= byte &- 0x20 < 0x5F || byte == lineEnd ? 0 : 1 }
            return others == 0
        } ?? allSatisfy { $0 &- 0x20 < 0x5F || $0 == lineEnd }
    }

    /// True if the byte is among them.
    func has(_ byte: UInt8) -> Bool {
        withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
        } ?? contains(byte)
    }
}
