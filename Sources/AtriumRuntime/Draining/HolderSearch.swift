/// Finds the ways from objects to what keeps them alive.
struct HolderSearch {
    private typealias Holder = HeapCensus.Holder

    /// What points to an object: a block, whose own holders may be looked for, or the end of the way.
    private struct Edge {
        let holder: Holder
        /// The block's address where the way goes on.
        let next: UInt?
    }

    private let heap: ObjectHeap
    private let own: [MappedImage]
    /// How many blocks that point to one object are followed.
    private let width = 12
    /// How many steps a path has at most.
    private let length = 6
    /// How many paths are told of an object.
    private let count = 4

    init(_ heap: ObjectHeap, own: [MappedImage]) {
        self.heap = heap
        self.own = own
    }

    /// The paths of each object, as ``HeapCensus/HeldObject/paths`` tells.
    func paths(to objects: [UInt]) -> [UInt: [[HeapCensus.Holder]]] {
        var edges: [UInt: [Edge]] = [:]
        var wanted = Set(objects)
        for _ in 0..<length where !wanted.isEmpty {
            let found = pointers(to: wanted)
            for address in wanted { edges[address] = found[address] ?? [] }
            wanted = Set(found.values.joined().compactMap(\.next)).filter { edges[$0] == nil }
        }
        return Dictionary(objects.map { ($0, paths(from: $0, edges)) }) { first, _ in first }
    }

    /// Walks up from the object, nearest first; every block is passed once.
    private func paths(from object: UInt, _ edges: [UInt: [Edge]]) -> [[Holder]] {
        var ends: [[Holder]] = []
        var passed: Set = [object]
        var level: [(address: UInt, path: [Holder])] = [(object, [])]
        while !level.isEmpty {
            var above: [(address: UInt, path: [Holder])] = []
            for (address, path) in level {
                // Beyond the longest path nothing was looked for: it ends there.
                guard let holders = edges[address] else {
                    ends.append(path)
                    continue
                }
                for edge in holders {
                    guard let next = edge.next else {
                        ends.append(path + [edge.holder])
                        continue
                    }
                    if passed.insert(next).inserted { above.append((next, path + [edge.holder])) }
                }
            }
            level = above
        }
        let (named, vague) = (ends.filter { !Self.isVague($0) }, ends.filter(Self.isVague))
        var told: Set<[Holder]> = []
        return Array((named + vague).filter { told.insert($0).inserted }.prefix(count))
    }

    private static func isVague(_ path: [Holder]) -> Bool {
        path.last == .stack || path.last == .otherMemory
    }

    /// What points to each of the addresses.
    private func pointers(to addresses: Set<UInt>) -> [UInt: [Edge]] {
        let targets = PointerSet(addresses)
        var edges: [UInt: [Edge]] = [:]
        for segment in heap.snapshot.segments {
            switch segment.role {
            case .heap, .largeChunk:
                HeapWalk.forEachBlock(in: segment) { block in
                    targets.forEach(in: block.words) { note(block, $0, in: &edges) }
                }
            case .globals(let module):
                targets.forEach(in: segment.words) {
                    add(Edge(holder: .global(module: module), next: nil), $0, &edges)
                }
            case .stack:
                targets.forEach(in: segment.words) { add(Edge(holder: .stack, next: nil), $0, &edges) }
            case .other:
                targets.forEach(in: segment.words) { add(Edge(holder: .otherMemory, next: nil), $0, &edges) }
            }
        }
        return edges
    }

    private func note(_ block: HeapBlock, _ target: UInt, in edges: inout [UInt: [Edge]]) {
        guard block.address != target, !isSideTable(block, of: target), let kind = heap.liveKind(of: block)
        else {
            return
        }
        switch kind.role {
        case .task: add(Edge(holder: .task, next: nil), target, &edges)
        case .block: add(Edge(holder: .block(bytes: block.bytes), next: block.address), target, &edges)
        case .object, .closure, .box, .error:
            let holder = Holder.object(type: kind.name, module: heap.module(of: kind))
            add(Edge(holder: holder, next: isPassed(kind) ? block.address : nil), target, &edges)
        }
    }

    private func add(_ edge: Edge, _ target: UInt, _ edges: inout [UInt: [Edge]]) {
        let known = edges[target, default: []]
        // Roots are few and say most: blocks never crowd them out.
        guard edge.next == nil || known.count < width else { return }
        guard edge.next != nil || !known.contains(where: { $0.next == nil && $0.holder == edge.holder })
        else { return }
        edges[target, default: []].append(edge)
    }

    /// Whether the way goes on: what the images' own objects, closures and the library's collections say of
    /// themselves does not tell who is to let go.
    private func isPassed(_ kind: ObjectKind) -> Bool {
        guard kind.role == .object, let origin = kind.origins.first else { return true }
        let isOwn = own.contains { $0.contains(origin) }
        return isOwn || heap.module(of: kind).hasPrefix("libswift")
    }

    /// Weak references point to a table beside the object, which points back without holding it.
    private func isSideTable(_ block: HeapBlock, of object: UInt) -> Bool {
        guard block.words[0] == object, let count = heap.snapshot.word(at: object + 8) else { return false }
        return count >> 62 == 3 && count << 3 == block.address
    }
}

/// Addresses that are looked for in much memory.
private struct PointerSet {
    /// The bits of a word that may tell something else than an address (swift's `SwiftTargetInfo`: spare bits).
    private static let address: UInt = 0x00FF_FFFF_FFFF_FFF8

    private let addresses: Set<UInt>
    private let range: Range<UInt>
    /// Which of the low parts of an address occur: nearly every word of memory ends here.
    private let filter: [Bool]

    init(_ addresses: Set<UInt>) {
        self.addresses = addresses
        range = (addresses.min() ?? 0)..<(addresses.max() ?? 0) + 1
        var filter = [Bool](repeating: false, count: 1 << 16)
        for address in addresses { filter[Int(address >> 4 & 0xFFFF)] = true }
        self.filter = filter
    }

    /// Calls `body` with each of the addresses as often as it stands in `words`.
    func forEach(in words: UnsafeBufferPointer<UInt>, _ body: (UInt) -> Void) {
        let (low, span) = (range.lowerBound, range.upperBound - range.lowerBound)
        for word in words {
            let address = word & Self.address
            guard address &- low < span, filter[Int(address >> 4 & 0xFFFF)], addresses.contains(address)
            else {
                continue
            }
            body(address)
        }
    }
}
