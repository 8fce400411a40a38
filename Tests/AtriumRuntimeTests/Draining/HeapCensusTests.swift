import Glibc
import Testing

@testable import AtriumRuntime

private typealias Subjects = CensusSubjects

@Suite("A census of the heap")
struct HeapCensusTests {
    @Test("Objects are counted while they live, and not after")
    func counts() async {
        await #expect(processExitsWith: .success) {
            let before = try Subjects.census(tracing: 0)
            Subjects.fill(5000)
            let full = try Subjects.census(tracing: 0)
            Subjects.shelf.leaves.removeLast(4000)
            let fewer = try Subjects.census(tracing: 0)
            Subjects.shelf.leaves = []
            let after = try Subjects.census(tracing: 0)

            #expect(before.count("Leaf") == 0)
            #expect(full.count("Leaf") == 5000)
            // Malloc rounds up, and at times gives more than was asked for.
            #expect(full.rows.first { $0.type == "Leaf" }.map { $0.bytes >= 5000 * 48 } == true)
            #expect(fewer.count("Leaf") == 1000)
            #expect(after.count("Leaf") == 0)
        }
    }

    @Test("Memory that malloc joined or gave to others does not count", arguments: [2, 3, 7])
    func scattered(step: Int) async {
        await #expect(processExitsWith: .success) { [step] in
            Subjects.fill(4200)
            var kept: [Subjects.Leaf] = []
            for (index, leaf) in Subjects.shelf.leaves.enumerated() where index % step == 0 {
                kept.append(leaf)
            }
            Subjects.shelf.leaves = kept
            kept = []
            // Empties the lists of small free blocks into the large ones: malloc_consolidate.
            free(malloc(100_000))
            let scattered = try Subjects.census(tracing: 0)
            Subjects.held = (0..<500).map { [Int](repeating: $0, count: 2) }
            let reused = try Subjects.census(tracing: 0)

            #expect(scattered.count("Leaf") == 4200 / step)
            #expect(reused.count("Leaf") == 4200 / step)
        }
    }

    @Test("Generic classes, their heirs and collections of an image's structs belong to it")
    func specialised() async {
        await #expect(processExitsWith: .success) {
            Subjects.held = (
                Subjects.Generic("text"), Subjects.Ancestor(3), [Subjects.Item()], [1: [Subjects.Item?.none]]
            )
            let census = try Subjects.census()

            #expect(census.count("Generic<String>") == 1)
            #expect(census.count("Ancestor") == 1)
            #expect(census.count("_ContiguousArrayStorage<Item>") == 1)
            #expect(census.count("_ContiguousArrayStorage<Optional<Item>>") == 1)
            #expect(census.count("_DictionaryStorage<Int, Array<Optional<Item>>>") == 1)
        }
    }

    @Test("Closures and errors are told by their kind")
    func kinds() async {
        await #expect(processExitsWith: .success) {
            let before = try Subjects.census()
            Subjects.makeClosure()
            Subjects.error = Subjects.Failure()
            let during = try Subjects.census()
            Subjects.closure = nil
            Subjects.error = nil
            let after = try Subjects.census()

            #expect(during.count("closure", .closure) > before.count("closure", .closure))
            #expect(during.count("Failure", .error) == 1)
            #expect(after.count("closure", .closure) == before.count("closure", .closure))
            #expect(after.count("Failure", .error) == 0)
        }
    }

    @Test("A path goes through collections and own objects to a global")
    func paths() async {
        await #expect(processExitsWith: .success) {
            Subjects.fill(1)
            let image = try Subjects.image()
            let paths = try Subjects.census().paths("Leaf")

            #expect(
                paths.first { $0.hasSuffix("a global of \(image.name)") }
                    == "_ContiguousArrayStorage<AnyObject> of libswiftCore.so < Shelf of \(image.name) < "
                    + "a global of \(image.name)"
                    || paths.contains {
                        $0.hasSuffix("Shelf of \(image.name) < a global of \(image.name)")
                    }, "\(paths)")
        }
    }

    @Test("A weak reference does not hold, and what only unowned ones point to is not alive")
    func weakAndUnowned() async {
        await #expect(processExitsWith: .success) {
            Subjects.leaf = Subjects.Leaf(1)
            Subjects.shelf.favourite = Subjects.leaf
            let image = try Subjects.image()
            let weakly = try Subjects.census()
            Subjects.unowned = Subjects.leaf.map(Subjects.Unowned.init)
            Subjects.leaf = nil
            let gone = try Subjects.census()

            #expect(weakly.count("Leaf") == 1)
            #expect(weakly.paths("Leaf").contains("a global of \(image.name)"))
            #expect(!weakly.paths("Leaf").contains { $0.contains("block") }, "\(weakly.paths("Leaf"))")
            #expect(gone.count("Leaf") == 0)
        }
    }

    @Test("What begins with metadata but counts no references is no object")
    func lookalike() async {
        await #expect(processExitsWith: .success) {
            let words = UnsafeMutablePointer<UInt>.allocate(capacity: 4)
            words.initialize(repeating: UInt(bitPattern: words), count: 4)
            words[0] = unsafeBitCast(Subjects.Leaf.self as AnyClass, to: UInt.self)
            let none = try Subjects.census(tracing: 0)
            words[1] = 3
            let one = try Subjects.census(tracing: 0)

            #expect(none.count("Leaf") == 0)
            #expect(one.count("Leaf") == 1)
            words.deallocate()
        }
    }

    @Test("A cycle is held by nothing else")
    func cycle() async {
        await #expect(processExitsWith: .success) {
            Subjects.makeCycle()
            Subjects.overwriteStack()
            let census = try Subjects.census()

            #expect(census.count("Leaf") == 2)
            #expect(!census.paths("Leaf").contains { $0.contains("global") }, "\(census.paths("Leaf"))")
        }
    }

    @Test("A suspended task belongs to the image that it returns to, one that has ended does not")
    func tasks() async {
        await #expect(processExitsWith: .success) {
            let counts = try await Subjects.countTasks()

            #expect(counts.during == counts.before + 1)
            #expect(counts.after == counts.before)
        }
    }

    @Test("Other threads may allocate and free meanwhile")
    func otherThreads() async {
        await #expect(processExitsWith: .success) {
            Subjects.fill(1000)
            let workers = (0..<2).map { worker in
                Task.detached {
                    var blocks: [UnsafeMutableRawPointer?] = []
                    for round in 0..<400_000 where !Task.isCancelled {
                        blocks.append(malloc(16 + (round &* 7919 &+ worker) % 3000))
                        if blocks.count > 200 { free(blocks.remove(at: round % 200)) }
                    }
                    blocks.forEach { free($0) }
                }
            }
            let censuses = try (0..<10).map { _ in HeapCensus(of: [try Subjects.image()], tracing: 8) }
            for worker in workers { worker.cancel() }
            for worker in workers { await worker.value }

            #expect(censuses.allSatisfy { !$0.isComplete || $0.count("Leaf") == 1000 })
            #expect(try Subjects.census(tracing: 0).count("Leaf") == 1000)
        }
    }
}

extension CensusSubjects {
    /// Both tasks are on the main actor: when the first goes on, the other is suspended, not about to be.
    @MainActor
    static func countTasks() async throws -> (before: Int, during: Int, after: Int) {
        let before = try census(tracing: 0).count("Task", .task)
        let task = Task { await withCheckedContinuation { continuation = $0 } }
        while continuation == nil { await Task.yield() }
        let during = try census(tracing: 0).count("Task", .task)
        continuation?.resume()
        await task.value
        let after = try census(tracing: 0).count("Task", .task)
        return withExtendedLifetime(task) { (before, during, after) }
    }

    @inline(never)
    static func makeClosure() {
        var number = 1
        closure = {
            number += 1
            return number
        }
    }

    @inline(never)
    static func makeCycle() {
        let first = Leaf(1)
        first.other = Leaf(2)
        first.other?.other = first
    }

    @inline(never)
    static func overwriteStack() {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 4096) { $0.initialize(repeating: 0) }
    }
}
