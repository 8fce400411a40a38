internal import Glibc

/// A copy of the memory of this process that may hold objects or pointers to them.
///
/// It is taken before anything is looked for, so that the search never finds its own notes. The copies are
/// mapped, not allocated, and go with the snapshot.
final class MemorySnapshot {
    /// What a part of memory is to the census.
    enum Role {
        /// A heap of malloc whose first chunk is at the address.
        case heap(firstChunk: UInt)
        /// A chunk that malloc mapped on its own.
        case largeChunk
        case globals(of: String)
        case stack
        /// Mapped by somebody, or the stack of a thread that runs.
        case other
    }

    struct Segment {
        let role: Role
        let range: Range<UInt>
        let words: UnsafeBufferPointer<UInt>
    }

    /// In order of address.
    let segments: [Segment]

    /// Copies the parts, each as far as it can be read.
    init(_ parts: [(role: Role, range: Range<UInt>)]) {
        segments =
            parts.compactMap { Self.copy($0.role, $0.range) }
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    deinit {
        for segment in segments {
            munmap(UnsafeMutableRawPointer(mutating: segment.words.baseAddress), segment.words.count * 8)
        }
    }

    /// The word at an address, from the copy or, of what was not copied, from memory; nil where there is none.
    func word(at address: UInt) -> UInt? {
        guard address & 7 == 0 else { return nil }
        guard let segment = segment(containing: address) else { return LiveMemory.word(at: address) }
        return segment.words[Int(address - segment.range.lowerBound) / 8]
    }

    /// Whether the address was copied.
    func covers(_ address: UInt) -> Bool { segment(containing: address) != nil }

    private func segment(containing address: UInt) -> Segment? {
        var low = 0
        var high = segments.count
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].range.upperBound <= address { low = middle + 1 } else { high = middle }
        }
        return low < segments.count && segments[low].range.contains(address) ? segments[low] : nil
    }

    private static func copy(_ role: Role, _ range: Range<UInt>) -> Segment? {
        guard range.count >= 8,
            let buffer = mmap(
                nil, range.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
            buffer != MAP_FAILED
        else { return nil }
        // Half of the time would go to faults of small pages.
        madvise(buffer, range.count, MADV_HUGEPAGE)
        let count = LiveMemory.copy(range, to: buffer) / 8
        guard count > 0 else {
            munmap(buffer, range.count)
            return nil
        }
        return Segment(
            role: role, range: range.lowerBound..<range.lowerBound + UInt(count * 8),
            words: UnsafeBufferPointer(start: buffer.assumingMemoryBound(to: UInt.self), count: count))
    }
}

/// Reads memory of this process that other threads may change or unmap meanwhile.
enum LiveMemory {
    /// Copies what can be read from the start of `range` on.
    ///
    /// - Returns: How many bytes that is.
    static func copy(_ range: Range<UInt>, to buffer: UnsafeMutableRawPointer) -> Int {
        var copied = 0
        while copied < range.count {
            var source = iovec(
                iov_base: UnsafeMutableRawPointer(bitPattern: range.lowerBound + UInt(copied)),
                iov_len: range.count - copied)
            let target = iovec(iov_base: buffer + copied, iov_len: range.count - copied)
            let count = withUnsafePointer(to: &source) {
                GlibcFunctions.read(UnsafeBufferPointer(start: $0, count: 1), into: target)
            }
            guard count > 0 else { break }
            copied += count
        }
        return copied
    }

    static func word(at address: UInt) -> UInt? {
        words(at: address, count: 1)?.first
    }

    static func words(at address: UInt, count: Int) -> [UInt]? {
        guard address >= Page.size, address < UInt(1) << 56 else { return nil }
        var words = [UInt](repeating: 0, count: count)
        let copied = words.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { copy(address..<address + UInt(count * 8), to: $0) }
        }
        return copied == count * 8 ? words : nil
    }

    /// The first two words of every page of `range`; pages that can't be read end the list.
    static func pageStarts(of range: Range<UInt>) -> [(UInt, UInt)] {
        let size = Int(Page.size)
        let batch = 1024  // the most that one call takes: UIO_MAXIOV
        var starts: [(UInt, UInt)] = []
        for first in stride(from: range.lowerBound, to: range.upperBound, by: size * batch) {
            let count = min(batch, Int(range.upperBound - first) / size)
            let sources = (0..<count).map {
                iovec(iov_base: UnsafeMutableRawPointer(bitPattern: first + UInt($0 * size)), iov_len: 16)
            }
            var words = [UInt](repeating: 0, count: count * 2)
            let copied = words.withUnsafeMutableBytes { buffer in
                sources.withUnsafeBufferPointer {
                    GlibcFunctions.read($0, into: iovec(iov_base: buffer.baseAddress, iov_len: buffer.count))
                }
            }
            starts += (0..<max(0, copied / 16)).map { (words[$0 * 2], words[$0 * 2 + 1]) }
            guard copied == count * 16 else { break }
        }
        return starts
    }
}
