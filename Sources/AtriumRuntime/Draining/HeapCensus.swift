/// What of some images is alive in this process, and who holds it.
///
/// Made on demand from a copy of the process's memory; nothing is noted while objects come and go. The search
/// is conservative: any word that looks like a pointer to an object holds it, such as an unowned reference, or
/// what a call left behind on the stack. A weak reference does not.
///
/// Found are the objects that malloc gave memory of their own. Objects that the compiler put on the stack or
/// into an image, and children of a task (`async let`), which live inside of it, are not.
package struct HeapCensus: Sendable {
    /// What sort of thing a row counts.
    package enum Kind: Hashable, Sendable {
        /// Instances of a class, of the image or specialised with a type of the image (`Array` of its structs).
        case object
        /// What a closure captured, and variables that closures share.
        case closure
        /// A variable of a type known only when the program runs, or an existential too large to be inline.
        case box
        /// A thrown error that is held as `any Error`.
        case error
        /// A suspended task with a function of the image among those that it will return to.
        case task
    }

    /// How many there are of one kind and type.
    package struct Row: Hashable, Sendable {
        /// The image that they belong to: the first of those asked for that their type or its arguments are in.
        package let image: MappedImage
        package let kind: Kind
        /// The name of the type, such as `Box<Int>`; `closure`, `Task`.
        package let type: String
        package internal(set) var count: Int
        /// What malloc takes for them: with its header, without what they refer to.
        package internal(set) var bytes: Int
    }

    /// An object with those that hold it.
    package struct HeldObject: Sendable {
        package let image: MappedImage
        package let type: String
        package let bytes: Int
        /// Ways to those that keep it alive, shortest first, those that end on a stack last.
        ///
        /// Each begins with what points to the object, and goes on while that is of the images asked for, a
        /// closure or a collection, to something that can be named. Empty where nothing was found: the objects
        /// hold each other in a cycle, or the reference is in a register.
        package let paths: [[Holder]]
    }

    /// What was counted, that which takes most first.
    package let rows: [Row]
    /// Some of each row, with their holders.
    package let objects: [HeldObject]
    /// Why there may be more than what was counted, in sentences; empty for a complete census.
    package let gaps: [String]

    /// Whether all of malloc's memory was looked at.
    package var isComplete: Bool { gaps.isEmpty }

    /// Counts what is alive of `images`, and looks for the holders of some of it.
    ///
    /// Copies the heap of the process, and reads it once for the count and once more for each step of a path:
    /// 60 to 140 ms for 700,000 objects of 34 MB, the first time longest. Other threads go on; what they do
    /// meanwhile may be missing.
    ///
    /// - Parameters:
    ///   - images: Generations whose code may no longer be wanted.
    ///   - names: Other images by the names that holders shall be told with.
    ///   - limit: Of how many objects holders are looked for.
    package init(of images: [MappedImage], naming names: [MappedImage] = [], tracing limit: Int = 24) {
        let given = images + names
        let others = MappedImage.loaded.filter { image in !given.contains { $0.ranges == image.ranges } }
        let (snapshot, gaps) = MemorySnapshot.ofThisProcess(images: given + others)
        let heap = ObjectHeap(snapshot, images: given + others)
        let found = FoundObjects(of: images, in: heap)
        let traced = found.sample(limit)
        let holders = HolderSearch(heap, own: images).paths(to: traced.map(\.address))
        rows = found.rows
        objects = traced.map { object in
            HeldObject(
                image: object.row.image, type: object.row.type, bytes: object.bytes,
                paths: holders[object.address] ?? [])
        }
        self.gaps = gaps
    }
}

extension HeapCensus {
    /// Something that keeps an object alive.
    package enum Holder: Hashable, Sendable {
        /// An object, closure or box, and the name of the image that it belongs to.
        case object(type: String, module: String)
        /// A task, in its frames or as its closure.
        case task
        /// Memory that was allocated for something other than an object.
        case block(bytes: Int)
        /// A variable of the image of this name: global, static, or the runtime's own.
        case global(module: String)
        case stack
        /// Memory that belongs to no heap and no image: a stack whose thread runs, thread-local variables.
        case otherMemory
    }
}

extension HeapCensus.Holder: CustomStringConvertible {
    package var description: String {
        switch self {
        case .object(let type, let module): "\(type) of \(module)"
        case .task: "a task"
        case .block(let bytes): "a block of \(bytes) bytes"
        case .global(let module): "a global of \(module)"
        case .stack: "a stack"
        case .otherMemory: "unnamed memory"
        }
    }
}
