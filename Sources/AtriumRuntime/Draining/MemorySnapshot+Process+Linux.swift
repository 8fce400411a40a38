internal import Glibc

extension MemorySnapshot {
    /// More is not copied: the census is for a host, not for a data base in memory.
    static let limit = 1 << 30

    /// Copies the heaps, globals and stacks of this process.
    ///
    /// Other threads may allocate meanwhile; where the copy does not add up it is taken anew, a few times.
    ///
    /// - Returns: The copy, and sentences about what could not be read.
    static func ofThisProcess(images: [MappedImage]) -> (snapshot: MemorySnapshot, gaps: [String]) {
        for _ in 0..<4 {
            // A copy that is not returned has to be gone before the next, which would include it.
            let (snapshot, gaps) = attempt(images)
            if gaps.isEmpty { return (snapshot, gaps) }
        }
        return attempt(images)
    }

    private static func attempt(_ images: [MappedImage]) -> (snapshot: MemorySnapshot, gaps: [String]) {
        // Makes room at the end of this thread's heap, so that it need not grow while it is measured.
        free(malloc(100_000))
        var layout = HeapLayout(images: images)
        var differences = MallocTotals.differences(from: layout)
        for _ in 0..<8 where !differences.isEmpty {
            layout = HeapLayout(images: images)
            differences = MallocTotals.differences(from: layout)
        }
        guard layout.bytes <= limit else {
            return (
                MemorySnapshot([]),
                ["The process has \(layout.bytes) bytes of data, more than are looked at."]
            )
        }
        let snapshot = MemorySnapshot(layout.parts)
        var gaps = differences
        for case (.heap, let range) in layout.parts {
            let segment = snapshot.segments.first { $0.range == range }
            if let segment, HeapWalk.forEachBlock(in: segment, { _ in }) { continue }
            gaps.append("The heap at 0x\(String(range.lowerBound, radix: 16)) is not laid out as expected.")
        }
        return (snapshot, gaps)
    }
}

/// What malloc says that it has from the system.
private struct MallocTotals {
    let heaps: Int
    let large: Int

    /// Compares a layout with what malloc has right after it was read.
    static func differences(from layout: HeapLayout) -> [String] {
        guard let totals = MallocTotals() else { return ["Malloc does not tell what it has."] }
        return difference("heaps", malloc: totals.heaps, found: layout.heapBytes)
            + difference("large blocks", malloc: totals.large, found: layout.largeBytes)
    }

    private static func difference(_ what: String, malloc: Int, found: Int) -> [String] {
        malloc == found ? [] : ["Malloc has \(malloc) bytes of \(what), and \(found) were found."]
    }

    /// Reads the totals, the last lines of their kind: `<system type="current" size="135168"/>`.
    init?() {
        guard let lines = GlibcFunctions.describeMalloc()?.split(separator: "\n"),
            let heaps = Self.size(lines, of: "<system type=\"current\""),
            let large = Self.size(lines, of: "<total type=\"mmap\"")
        else { return nil }
        self.heaps = heaps
        self.large = large
    }

    private static func size(_ lines: [Substring], of start: String) -> Int? {
        guard let line = lines.last(where: { $0.hasPrefix(start) }) else { return nil }
        let quoted = line.split(separator: "\"", omittingEmptySubsequences: false)
        return quoted.count < 3 ? nil : Int(quoted[quoted.count - 2])
    }
}
