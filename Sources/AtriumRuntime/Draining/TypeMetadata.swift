/// Metadata of a type or of a kind of heap object, read without trusting that it is any.
///
/// Layouts and kinds are those of the stable ABI on platforms without Objective-C (swift's
/// `include/swift/ABI/Metadata.h` and `MetadataKind.def`).
struct MetadataReader {
    let snapshot: MemorySnapshot
    /// The segments of all images, in order of address.
    private let ranges: [Range<UInt>]

    enum Kind {
        static let `class`: UInt = 0
        static let values: ClosedRange<UInt> = 0x200...0x202  // structs, enums, Optional
        static let structural: ClosedRange<UInt> = 0x300...0x3FF  // tuples, functions, existentials
        static let closure: UInt = 0x400
        static let box: UInt = 0x500
        static let error: UInt = 0x501
        static let task: UInt = 0x502
    }

    init(_ snapshot: MemorySnapshot, images: [MappedImage]) {
        self.snapshot = snapshot
        ranges = images.flatMap(\.ranges).sorted { $0.lowerBound < $1.lowerBound }
    }

    func isInImage(_ address: UInt) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= address { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(address)
    }

    /// The kind of the metadata at an address that may as well be anything; nil where it can't be metadata.
    func heapKind(_ metadata: UInt) -> UInt? {
        guard metadata & 7 == 0, metadata > Page.size, snapshot.covers(metadata) || isInImage(metadata),
            let kind = snapshot.word(at: metadata), kind == Kind.class || Kind.closure...Kind.task ~= kind,
            // All heap metadata has the function that destroys an object two words ahead.
            let destroy = snapshot.word(at: metadata - 16), isInImage(destroy)
        else { return nil }
        guard kind == Kind.class else { return kind }
        return nominalType(metadata) == nil ? nil : kind
    }

    /// The descriptor of a class, struct or enum; nil where the metadata is none of these.
    func nominalType(_ metadata: UInt) -> UInt? {
        guard let kind = snapshot.word(at: metadata) else { return nil }
        let isClass = kind == Kind.class
        guard isClass || Kind.values ~= kind,
            let descriptor = snapshot.word(at: metadata + (isClass ? 40 : 8)), isInImage(descriptor),
            let flags = half(descriptor)
        else { return nil }
        // Context descriptors: 16 is a class, 17 a struct, 18 an enum.
        return (isClass ? 16...16 : 17...18).contains(flags & 0x1F) ? descriptor : nil
    }

    /// Whether `metadata` is of a type that Swift can name.
    func isType(_ metadata: UInt) -> Bool {
        guard let kind = snapshot.word(at: metadata) else { return false }
        return Kind.structural ~= kind || nominalType(metadata) != nil
    }

    /// The descriptors of the type and of the types that it is specialised with, down to a few levels.
    func nominalTypes(in metadata: UInt, depth: Int = 3) -> [UInt] {
        guard let type = nominalType(metadata) else { return [] }
        guard depth > 0, let offset = argumentsOffset(type) else { return [type] }
        let header = type + ((half(type) ?? 0) & 0x1F == 16 ? 44 : 28)
        let count = (half(header + 12) ?? 0) & 0xFFFF
        let arguments = (0..<UInt(min(count, 8))).compactMap {
            snapshot.word(at: metadata &+ offset + $0 * 8)
        }
        return [type] + arguments.flatMap { nominalTypes(in: $0, depth: depth - 1) }
    }

    /// Where the metadata of a generic type keeps its arguments; nil where the type is not generic.
    private func argumentsOffset(_ type: UInt) -> UInt? {
        guard let flags = half(type), flags & 0x80 != 0 else { return nil }
        guard flags & 0x1F == 16 else { return 16 }
        let hasResilientAncestor = flags & 1 << 29 != 0
        if hasResilientAncestor {
            let relative = UInt(bitPattern: Int(Int32(bitPattern: half(type + 24) ?? 0)))
            return snapshot.word(at: type + 24 &+ relative)
        }
        guard let size = half(type + 28), let ownSize = half(type + 32), ownSize <= size else { return nil }
        return UInt(size - ownSize) * 8
    }

    /// The 32 bits at an address.
    private func half(_ address: UInt) -> UInt32? {
        guard let word = snapshot.word(at: address & ~7) else { return nil }
        return UInt32(truncatingIfNeeded: word >> (address & 4 == 0 ? 0 : 32))
    }
}
