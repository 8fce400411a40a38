/// Finds cells by the address of a type's metadata: open addressing, one multiplication and shift for a hash.
///
/// Each module has its own index of what it has resolved, so the registrations of other modules do not slow
/// down its resolutions.
@frozen @usableFromInline struct CellIndex {
    @usableFromInline var entries: UnsafeMutablePointer<Entry>
    /// The right shift of the hash: 64 less the logarithm of the number of entries.
    @usableFromInline var shift: UInt
    /// One less than the number of entries, which is a power of two; at least one entry is empty.
    @usableFromInline var mask: UInt

    @frozen @usableFromInline struct Entry {
        /// The type's address and the layer's tag; 0 in an empty entry.
        @usableFromInline var word: UInt
        @usableFromInline var cell: UnsafeMutablePointer<Cell>?
    }

    /// The cell of `word`; nil if there is none.
    @inlinable @inline(__always)
    nonisolated func cell(_ word: UInt) -> UnsafeMutablePointer<Cell>? {
        var index = Self.hash(word) &>> shift
        while true {
            let entry = entries[Int(bitPattern: index)]
            if entry.word == word { return entry.cell }
            if entry.word == 0 { return nil }
            index = (index &+ 1) & mask
        }
    }

    /// Fibonacci hashing: the golden ratio spreads neighbouring addresses (Knuth, volume 3, section 6.4).
    @inlinable @inline(__always)
    nonisolated static func hash(_ word: UInt) -> UInt {
        word &* 0x9E37_79B9_7F4A_7C15
    }

    /// The word of an unnamed registration: metadata is aligned to 8, so 3 bits are free for the layer.
    @inlinable @inline(__always)
    nonisolated static func word(_ type: any Any.Type, _ tag: UInt) -> UInt {
        UInt(bitPattern: ObjectIdentifier(type)) | tag
    }
}
