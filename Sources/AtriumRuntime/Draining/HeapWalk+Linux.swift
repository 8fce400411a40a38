/// An allocation in the heap, as the snapshot has it.
struct HeapBlock {
    /// What malloc returned for it.
    let address: UInt
    let words: UnsafeBufferPointer<UInt>

    /// What malloc takes for it, its header included.
    var bytes: Int { words.count * 8 + 8 }

    /// Whether malloc has it in a list of free blocks that it does not mark as free (tcache, fast bins).
    ///
    /// Their first word is the next of the list, mangled with the block's own address (safe-linking, glibc
    /// 2.32). A block in use may look like that by chance, so only what is no object of Swift's is asked.
    func isListedAsFree(in snapshot: MemorySnapshot) -> Bool {
        let next = words[0] ^ (address >> 12)
        return next == 0 || next & 15 == 0 && snapshot.covers(next)
    }
}

/// Walks the chunks of malloc from header to header.
///
/// Assumes what glibc's `malloc.c` has kept on 64-bit machines since 2.35: a chunk starts with the size of
/// the one before, if that is free, and its own size; the lowest bit tells that the one before is in use; a
/// free chunk repeats its size at its end; the last chunk of a heap reaches to its end, or fence posts of 16
/// bytes stand there. A heap that differs is not walked at all.
enum HeapWalk {
    /// Calls `body` with each block in use, those in malloc's lists of free ones (tcache, fast bins) included.
    ///
    /// - Returns: Whether all of it looks as it should.
    @discardableResult
    static func forEachBlock(in segment: MemorySnapshot.Segment, _ body: (HeapBlock) -> Void) -> Bool {
        switch segment.role {
        case .heap(let firstChunk): chunks(of: segment, from: firstChunk, body)
        case .largeChunk: largeChunk(segment, body)
        case .globals, .stack, .other: true
        }
    }

    private static func chunks(
        of segment: MemorySnapshot.Segment, from firstChunk: UInt, _ body: (HeapBlock) -> Void
    ) -> Bool {
        let words = segment.words
        var chunk = Int(firstChunk - segment.range.lowerBound) / 8
        while chunk + 2 <= words.count {
            let header = words[chunk + 1]
            let size = header & ~7
            if size <= 16 { return words.count - chunk <= 4 }
            let isSound = size & 8 == 0 && header & Flag.isMapped == 0
            guard isSound, size >= 32, size / 8 <= UInt(words.count - chunk) else { return false }
            let next = chunk + Int(size / 8)
            if next == words.count { return true }
            guard next + 2 <= words.count else { return false }
            if words[next + 1] & Flag.previousIsInUse != 0 {
                // The last word of a block in use is where the next chunk would keep its size.
                body(block(of: segment, from: chunk + 2, to: next + 1))
            } else if words[next] != size {
                return false
            }
            chunk = next
        }
        return false
    }

    private static func largeChunk(_ segment: MemorySnapshot.Segment, _ body: (HeapBlock) -> Void) -> Bool {
        body(block(of: segment, from: 2, to: segment.words.count))
        return true
    }

    private static func block(of segment: MemorySnapshot.Segment, from start: Int, to end: Int) -> HeapBlock {
        HeapBlock(
            address: segment.range.lowerBound + UInt(start * 8),
            words: UnsafeBufferPointer(rebasing: segment.words[start..<end]))
    }

    enum Flag {
        static let previousIsInUse: UInt = 1
        static let isMapped: UInt = 2
    }
}
