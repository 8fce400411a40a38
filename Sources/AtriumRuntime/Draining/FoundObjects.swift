/// The objects of some images in a heap.
struct FoundObjects {
    struct Object {
        let address: UInt
        let bytes: Int
        let row: HeapCensus.Row
    }

    /// What was counted, that which takes most first.
    let rows: [HeapCensus.Row]
    /// Some objects of each row, in the order of the rows.
    private let samples: [[Object]]

    /// Counts all of `heap`, and remembers a few of each row.
    init(of images: [MappedImage], in heap: ObjectHeap, remembering limit: Int = 4) {
        var indices: [Int: Int?] = [:]
        var rows: [(row: HeapCensus.Row, samples: [(address: UInt, bytes: Int)])] = []
        heap.forEachBlock { block in
            guard let kind = heap.kinds.kind(of: block) else { return }
            let index: Int?
            if kind.role == .task {
                index = Self.image(of: block, in: heap, images).map { Self.index(of: kind, $0, in: &rows) }
            } else if let known = indices[kind.number] {
                index = known
            } else {
                let image = images.first { image in kind.origins.contains(where: image.contains) }
                index = image.map { Self.index(of: kind, $0, in: &rows) }
                if kind.role != .error { indices[kind.number] = .some(index) }
            }
            guard let index else { return }
            rows[index].row.count += 1
            rows[index].row.bytes += block.bytes
            if rows[index].samples.count < limit { rows[index].samples.append((block.address, block.bytes)) }
        }
        rows.sort { ($1.row.bytes, $0.row.type) < ($0.row.bytes, $1.row.type) }
        self.rows = rows.map(\.row)
        samples = rows.map { found in
            found.samples.map { Object(address: $0.address, bytes: $0.bytes, row: found.row) }
        }
    }

    /// At most `limit` objects: the first of every row, then the second, and so on.
    func sample(_ limit: Int) -> [Object] {
        let depth = samples.map(\.count).max() ?? 0
        return Array(
            (0..<depth).flatMap { turn in samples.compactMap { $0.dropFirst(turn).first } }.prefix(limit))
    }

    /// The image that the task returns to before any other of them.
    private static func image(
        of task: HeapBlock, in heap: ObjectHeap, _ images: [MappedImage]
    ) -> MappedImage? {
        for function in TaskFrames(of: task, in: heap.snapshot).functions {
            if let image = images.first(where: { $0.contains(function) }) { return image }
        }
        return nil
    }

    /// The row of what has the same name in the same image, such as closures of any sort.
    private static func index(
        of kind: ObjectKind, _ image: MappedImage,
        in rows: inout [(row: HeapCensus.Row, samples: [(address: UInt, bytes: Int)])]
    ) -> Int {
        let rowKind: HeapCensus.Kind =
            switch kind.role {
            case .object, .block: .object
            case .closure: .closure
            case .box: .box
            case .error: .error
            case .task: .task
            }
        let name = kind.name
        let known = rows.firstIndex { $0.row.image == image && $0.row.kind == rowKind && $0.row.type == name }
        if let known { return known }
        rows.append((HeapCensus.Row(image: image, kind: rowKind, type: name, count: 0, bytes: 0), []))
        return rows.count - 1
    }
}
