/// The functions in which a suspended task waits, innermost first.
///
/// Layout: `Job`, `AsyncTask` and `AsyncContext` of swift's `include/swift/ABI/Task.h`. A context begins with
/// the one of its caller and the function that goes on there.
struct TaskFrames {
    private static let resumeFunction = 7
    private static let context = 8
    /// The status of `AsyncTask::PrivateStorage`, after the two words of its exclusivity accesses.
    private static let status = 12
    /// More is a circle, or not a task.
    private static let limit = 512

    /// Where each of them goes on; empty for a task that has ended.
    let functions: [UInt]

    /// Reads the frames of a block that begins with the metadata of tasks.
    init(of task: HeapBlock, in snapshot: MemorySnapshot) {
        guard task.words.count > Self.status, task.words[Self.status] & Flag.isComplete == 0 else {
            functions = []
            return
        }
        var functions = [task.words[Self.resumeFunction]]
        var context = task.words[Self.context]
        while functions.count < Self.limit, snapshot.covers(context), let caller = snapshot.word(at: context),
            let function = snapshot.word(at: context + 8)
        {
            functions.append(function)
            context = caller
        }
        self.functions = functions
    }

    private enum Flag {
        static let isComplete: UInt = 0x2000
    }
}
