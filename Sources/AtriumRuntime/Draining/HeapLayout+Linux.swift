/// Where malloc's heaps, stacks and globals are now.
///
/// Malloc has one heap that grows at the end of the program's data (`[heap]`), heaps of other threads at
/// multiples of 64 MiB, and a mapping for each large block. The kernel merges mappings that touch, so the
/// latter two are recognised by what is at the start of a page, and the sums are compared with what malloc
/// says it has.
struct HeapLayout {
    private(set) var parts: [(role: MemorySnapshot.Role, range: Range<UInt>)] = []
    private let images: [MappedImage]
    private let stackPointers: [UInt]

    init(images: [MappedImage]) {
        self.images = images
        stackPointers = MemoryMap.stackPointers
        for image in images {
            parts += image.data.map { (.globals(of: image.name), $0) }
        }
        for region in MemoryMap().regions {
            switch region.label {
            case "[heap]": parts.append((.heap(firstChunk: region.range.lowerBound), region.range))
            case "": addParts(of: region.range)
            case "[stack]": addStack(region.range)
            default: break
            }
        }
    }

    /// How many bytes all parts have.
    var bytes: Int { parts.reduce(0) { $0 + $1.range.count } }

    /// What malloc should say that its heaps take.
    var heapBytes: Int { parts.reduce(0) { if case .heap = $1.role { $0 + $1.range.count } else { $0 } } }

    /// What malloc should say that it mapped for large blocks.
    var largeBytes: Int {
        parts.reduce(0) { if case .largeChunk = $1.role { $0 + $1.range.count } else { $0 } }
    }

    private mutating func addParts(of region: Range<UInt>) {
        // Zeroed globals follow their image in memory that no file is behind.
        let taken = images.lazy.flatMap(\.ranges).filter { $0.overlaps(region) }
            .sorted { $0.lowerBound < $1.lowerBound }
        var start = region.lowerBound
        for image in taken {
            if start < image.lowerBound { addMapped(start..<image.lowerBound) }
            start = max(start, image.upperBound)
        }
        if start < region.upperBound { addMapped(start..<region.upperBound) }
    }

    private mutating func addMapped(_ region: Range<UInt>) {
        let starts = LiveMemory.pageStarts(of: region)
        var rest = region.lowerBound
        var page = region.lowerBound
        while page < region.upperBound {
            let index = Int((page - region.lowerBound) / Page.size)
            guard index < starts.count,
                let found = malloced(at: page, starts[index], before: region.upperBound)
            else {
                page += Page.size
                continue
            }
            if rest < page { addRest(rest..<page) }
            parts.append((found.role, found.range))
            page = found.end
            rest = page
        }
        if rest < region.upperBound { addRest(rest..<region.upperBound) }
    }

    private func malloced(
        at page: UInt, _ start: (UInt, UInt), before end: UInt
    ) -> (role: MemorySnapshot.Role, range: Range<UInt>, end: UInt)? {
        let size = start.1 & ~7
        let isLarge = start.0 == 0 && start.1 & 7 == HeapWalk.Flag.isMapped && size & (Page.size - 1) == 0
        if isLarge, size > 0, size <= end - page { return (.largeChunk, page..<page + size, page + size) }
        if page & (ThreadHeap.alignment - 1) == 0, let heap = ThreadHeap(at: page),
            heap.reserved <= end - page
        {
            return (.heap(firstChunk: heap.firstChunk), page..<page + heap.size, page + heap.reserved)
        }
        return nil
    }

    private mutating func addRest(_ range: Range<UInt>) {
        if stackPointers.contains(where: range.contains) {
            addStack(range)
        } else {
            parts.append((.other, range))
        }
    }

    /// Below the stack pointer there is only what calls left behind, but for the red zone of x86-64.
    private mutating func addStack(_ range: Range<UInt>) {
        let pointer = stackPointers.filter(range.contains).min() ?? range.lowerBound
        parts.append((.stack, max(range.lowerBound, (pointer & ~7) - 128)..<range.upperBound))
    }
}

/// A heap of malloc other than the first: `heap_info` of glibc's `arena.c`.
private struct ThreadHeap {
    static let alignment: UInt = 64 << 20
    /// Of `heap_info`, and of `malloc_state`, which follows it in the first heap of an arena.
    private static let headerSize: UInt = 48
    private static let arenaSize: UInt = 2200

    let size: UInt
    /// How much is mapped writable, which is as much or more.
    let reserved: UInt
    let firstChunk: UInt

    init?(at start: UInt) {
        guard let words = LiveMemory.words(at: start, count: 5) else { return nil }
        let (arena, previous, pageSize) = (words[0], words[1], words[4])
        size = words[2]
        reserved = words[3]
        let isSized =
            size > 0 && size <= reserved && reserved <= Self.alignment && (size | reserved) % Page.size == 0
        let isFirst = arena == start + Self.headerSize
        let isNext =
            arena % Self.alignment == Self.headerSize && previous != 0 && previous % Self.alignment == 0
        guard isSized, isFirst != isNext, pageSize == Page.size else { return nil }
        firstChunk = (start + Self.headerSize + (isFirst ? Self.arenaSize : 0) + 15) & ~15
    }
}
