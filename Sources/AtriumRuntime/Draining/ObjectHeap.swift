/// The blocks of a snapshot, with their kinds and the images that they come from.
struct ObjectHeap {
    let snapshot: MemorySnapshot
    let kinds: ObjectKinds
    /// Every loaded image, those with names from the caller first.
    let images: [MappedImage]

    init(_ snapshot: MemorySnapshot, images: [MappedImage]) {
        self.snapshot = snapshot
        self.images = images
        kinds = ObjectKinds(MetadataReader(snapshot, images: images))
    }

    /// Calls `body` with each block that malloc has given away.
    func forEachBlock(_ body: (HeapBlock) -> Void) {
        for segment in snapshot.segments { HeapWalk.forEachBlock(in: segment, body) }
    }

    /// What the block is; nil where it is not in use after all.
    func liveKind(of block: HeapBlock) -> ObjectKind? {
        if let kind = kinds.kind(of: block) { return kind }
        return block.isListedAsFree(in: snapshot) ? nil : .block
    }

    /// The name of the image that an object of this kind belongs to.
    func module(of kind: ObjectKind) -> String {
        kind.origins.first.flatMap { origin in images.first { $0.contains(origin) } }?.name ?? "the process"
    }
}
