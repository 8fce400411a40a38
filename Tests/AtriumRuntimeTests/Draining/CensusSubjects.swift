import Glibc
import Testing

@testable import AtriumRuntime

/// What the tests of the census make, hold and let go; each in a process of its own.
enum CensusSubjects {
    final class Leaf {
        var number: Int
        var other: Leaf?
        init(_ number: Int) { self.number = number }
    }

    final class Shelf {
        var leaves: [Leaf] = []
        weak var favourite: Leaf?
    }

    class Generic<Value> {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    final class Ancestor: Generic<Int> {}

    struct Unowned {
        unowned let leaf: Leaf
        init(_ leaf: Leaf) { self.leaf = leaf }
    }

    struct Item {
        var numbers = [1, 2, 3]
        var leaf = Leaf(1)
    }

    struct Failure: Error {
        var leaf = 7
        var more = "more"
    }

    // Written by one process, which runs one test.
    nonisolated(unsafe) static var held: Any?
    nonisolated(unsafe) static var shelf = Shelf()
    nonisolated(unsafe) static var leaf: Leaf?
    nonisolated(unsafe) static var error: (any Error)?
    nonisolated(unsafe) static var closure: (() -> Int)?
    nonisolated(unsafe) static var unowned: Unowned?
    nonisolated(unsafe) static var continuation: CheckedContinuation<Void, Never>?

    /// The image of the tests.
    static func image() throws -> MappedImage {
        try #require(MappedImage(containing: #dsohandle))
    }

    /// Counts everything of the tests.
    static func census(tracing limit: Int = 1000) throws -> HeapCensus {
        let census = HeapCensus(of: [try image()], tracing: limit)
        #expect(census.gaps == [])
        return census
    }

    /// Runs apart, so that what it leaves on the stack is overwritten by the next call.
    @inline(never)
    static func fill(_ count: Int) {
        for number in 0..<count { shelf.leaves.append(Leaf(number)) }
    }
}

extension HeapCensus {
    func count(_ type: String, _ kind: Kind = .object) -> Int {
        rows.filter { $0.type == type && $0.kind == kind }.reduce(0) { $0 + $1.count }
    }

    /// The paths to all objects of the type that were traced, as text.
    func paths(_ type: String) -> [String] {
        objects.filter { $0.type == type }.flatMap(\.paths).map { path in
            path.map(\.description).joined(separator: " < ")
        }
    }
}
