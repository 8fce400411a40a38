import Testing

@testable import AtriumRuntime

@Suite("A walk through malloc's chunks")
struct HeapWalkTests {
    /// A chunk in use of 32 bytes, a free one of 32 and one in use of 48; then the rest of the heap.
    private let heap: [UInt] = [0, 33, 1, 2, 3, 33, 0, 0, 32, 48, 4, 5, 6, 7, 8, 33, 0, 0]

    @Test("Blocks in use are met, free ones and the rest of the heap are not")
    func sound() {
        #expect(walk(heap) == [[1, 2, 3], [4, 5, 6, 7, 8]])
    }

    @Test("A heap may end with fence posts")
    func fencePosts() {
        #expect(walk([0, 33, 1, 2, 3, 17, 0, 1]) == [[1, 2, 3]])
    }

    @Test(
        "A heap that is not laid out as expected is refused",
        arguments: [
            (at: 1, word: 41), (at: 1, word: 0), (at: 1, word: 17), (at: 1, word: 1 << 40 | 1),
            (at: 1, word: 35),
            (at: 8, word: 64), (at: 9, word: 64), (at: 15, word: 49), (at: 15, word: UInt.max),
        ] as [(at: Int, word: UInt)])
    func damaged(at index: Int, word: UInt) {
        var words = heap
        words[index] = word

        #expect(walk(words) == nil)
    }

    private func walk(_ words: [UInt]) -> [[UInt]]? {
        let start: UInt = 0x10000
        return words.withUnsafeBufferPointer { buffer in
            let segment = MemorySnapshot.Segment(
                role: .heap(firstChunk: start), range: start..<start + UInt(words.count * 8), words: buffer)
            var blocks: [[UInt]] = []
            return HeapWalk.forEachBlock(in: segment) { blocks.append(Array($0.words)) } ? blocks : nil
        }
    }
}
