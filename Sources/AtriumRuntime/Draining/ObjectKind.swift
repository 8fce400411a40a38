/// What a block of the heap is, told by its first word.
struct ObjectKind {
    enum Role {
        case object, closure, box, error, task
        /// Not allocated by Swift's runtime for an object.
        case block
    }

    let role: Role
    /// The type that names it: its class, or the type of the value in a box or error; 0 where there is none.
    let type: UInt
    /// Addresses in the images that it comes from: first where its own type or code lies, then where the types
    /// do that it is specialised with.
    let origins: [UInt]
    /// Counts the kinds as they are met; errors of all types have one number.
    var number = 0

    static let block = ObjectKind(role: .block, type: 0, origins: [])

    /// Its name as `Swift` has it.
    var name: String {
        switch role {
        case .object: typeName
        case .closure: "closure"
        case .box: type == 0 ? "box" : "box of \(typeName)"
        case .error: type == 0 ? "error" : typeName
        case .task: "Task"
        case .block: "block"
        }
    }

    /// Metadata is never freed, so that what was found to be metadata may be used as such.
    private var typeName: String {
        guard let metadata = UnsafeRawPointer(bitPattern: type) else { return "object" }
        return _typeName(unsafeBitCast(metadata, to: Any.Type.self), qualified: false)
    }
}

/// Tells the kinds of blocks, each kind once.
final class ObjectKinds {
    let metadata: MetadataReader
    private var known: [UInt: ObjectKind?] = [:]
    private var nextNumber = 1
    /// Spares most blocks the dictionary: they are of a few types, or none of Swift's.
    private var recent = [(isa: UInt, kind: ObjectKind?)](repeating: (0, nil), count: 1024)

    init(_ metadata: MetadataReader) {
        self.metadata = metadata
    }

    /// What the block is; nil where it is no object of Swift's runtime, or one that is gone already.
    func kind(of block: HeapBlock) -> ObjectKind? {
        let isa = block.words[0]
        guard isa & 7 == 0, isa > Page.size, let kind = kind(isa: isa), isAlive(block) else {
            return nil
        }
        guard kind.role == .error, block.words.count > 2 else { return kind }
        let type = block.words[2]
        return ObjectKind(
            role: .error, type: metadata.isType(type) ? type : 0, origins: metadata.nominalTypes(in: type),
            number: kind.number)
    }

    private func kind(isa: UInt) -> ObjectKind? {
        let slot = Int(truncatingIfNeeded: (isa >> 4 ^ isa >> 14) & 1023)
        if recent[slot].isa == isa { return recent[slot].kind }
        var kind: ObjectKind?
        if let found = known[isa] {
            kind = found
        } else {
            kind = classify(isa)
            kind?.number = nextNumber
            nextNumber += 1
            known[isa] = .some(kind)
        }
        recent[slot] = (isa, kind)
        return kind
    }

    private func classify(_ isa: UInt) -> ObjectKind? {
        switch metadata.heapKind(isa) {
        case MetadataReader.Kind.class:
            return ObjectKind(role: .object, type: isa, origins: metadata.nominalTypes(in: isa))
        case MetadataReader.Kind.closure: return ObjectKind(role: .closure, type: 0, origins: [isa])
        case MetadataReader.Kind.box:
            guard let type = metadata.snapshot.word(at: isa + 16), metadata.isType(type) else { return nil }
            return ObjectKind(role: .box, type: type, origins: metadata.nominalTypes(in: type))
        case MetadataReader.Kind.error: return ObjectKind(role: .error, type: 0, origins: [])
        case MetadataReader.Kind.task: return ObjectKind(role: .task, type: 0, origins: [isa])
        default: return nil
        }
    }

    /// Whether the second word counts references to a living object.
    ///
    /// Otherwise only unowned references keep the memory of an object that was deinitialised, or the block is
    /// none of Swift's: the runtime's own tables (type names, conformances) may begin with metadata too.
    /// Layout of the count: swift's `stdlib/public/SwiftShims/swift/shims/RefCount.h`.
    private func isAlive(_ block: HeapBlock) -> Bool {
        guard let table = block.sideTable else { return Self.isLiving(count: block.words[1]) }
        guard metadata.snapshot.word(at: table) == block.address else { return false }
        return metadata.snapshot.word(at: table + 16).map { $0 & Self.isDeiniting == 0 } ?? false
    }

    private static let isDeiniting: UInt = 1 << 32

    /// A mark of Swift's own objects, a count of unowned references that begins with one, and no more of them
    /// than a million: what is none of this is an address.
    private static func isLiving(count: UInt) -> Bool {
        let isSwift = count & 1 != 0
        let unowned = count >> 1 & 0x7FFF_FFFF
        return isSwift && 1..<1 << 20 ~= unowned && count & isDeiniting == 0
    }
}

extension HeapBlock {
    /// Where an object that weak references point to keeps its counts; the table begins with its address.
    var sideTable: UInt? {
        let usesTable: UInt = 3 << 62
        return words[1] & usesTable == usesTable ? words[1] << 3 : nil
    }
}
