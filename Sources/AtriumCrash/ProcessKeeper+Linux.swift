internal import AtriumLibraries
internal import CCrash
internal import Glibc

/// Compares what the process has with what it had, after each step of a module, and restores it.
///
/// The preflight refuses a module that changes any ``ProcessItem``; the host restores it. Create it once
/// ``ModulePrints`` has begun: descriptors 1 and 2 are restored to its pipe.
@MainActor
package final class ProcessKeeper {
    private let origin = ProcessOrigin()
    private let isTrial: Bool
    private let items: [ProcessItem]
    private let quick: [Int]
    private var values: [ProcessItem.Value]
    /// True if something could not be restored, so that what is tried now may fail by it.
    package private(set) var isIncomplete = false

    /// - Parameter isTrial: Whether children of this process are those of modules.
    package init(isTrial: Bool = false) {
        self.isTrial = isTrial
        items = ProcessItem.all(origin) + (isTrial ? [.child] : [])
        quick = items.indices.filter { [items] in items[$0].isQuick }
        values = items.map { $0.read() }
    }

    /// Restores everything; after an action only what is quick to compare.
    ///
    /// - Returns: The differences, each as a clause.
    package func restore(quickly: Bool = false) -> [String] {
        var changes: [String] = []
        if quickly {
            for index in quick where items[index].read() != values[index] { restore(index, &changes) }
        } else {
            for index in items.indices where items[index].read() != values[index] { restore(index, &changes) }
        }
        return changes
    }

    private func restore(_ index: Int, _ changes: inout [String]) {
        let (item, former) = (items[index], values[index])
        let phrases = item.phrases(former, item.read())
        item.restore(former)
        values[index] = item.read()
        guard !isTrial, values[index] != former, !item.phrases(former, values[index]).isEmpty else {
            return changes += phrases
        }
        isIncomplete = true
        changes += phrases.map { "\($0), which can't be undone" }
    }
}

/// The original descriptors, folders and variables of a process, to restore them from.
@MainActor
final class ProcessOrigin {
    /// A copy of standard input; negative if there is none.
    private let input = fcntl(0, F_DUPFD_CLOEXEC, 3)
    let folder = open(".", ProcessOrigin.openPath | O_DIRECTORY | O_CLOEXEC)
    let root = open("/", ProcessOrigin.openPath | O_DIRECTORY | O_CLOEXEC)
    private let variables = ProcessVariables.bytes
    /// O_PATH, which Swift does not import: the folders need not be readable.
    private static let openPath: CInt = 0o10_000_000

    isolated deinit {
        for descriptor in [input, folder, root] where descriptor >= 0 { close(descriptor) }
    }

    /// Its copies and those of ``ModulePrints``.
    var keptDescriptors: [CInt] { [input, folder, root, ccrash_output(1), ccrash_output(2)] }

    func restoreDescriptor(_ number: CInt) {
        guard number == 0 else { return ccrash_divert_again() }
        if input >= 0 { dup2(input, 0) } else { close(0) }
    }

    /// The variables that were changed, by name, with their values here; nil for one that was added.
    func changedVariables() -> [(name: String, value: String?)] {
        let bytes = ProcessVariables.bytes
        guard bytes != variables else { return [] }
        let (now, then) = (ProcessVariables.parse(bytes), ProcessVariables.parse(variables))
        return Set(now.keys).union(then.keys).sorted().filter { now[$0] != then[$0] }.map { ($0, then[$0]) }
    }
}
