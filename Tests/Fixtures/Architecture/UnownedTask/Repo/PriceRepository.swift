import AtriumKit
import Dispatch
import Foundation

typealias Job = Task<Void, Never>

@MainActor
final class PriceRepository {
    private var job: Task<Void, Never>?
    private var jobs: [Task<Void, Never>] = []

    func dropped(_ isNew: Bool) {
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        Task { await work() }
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        Task(priority: .background) {
            await work()
        }
        // error: [unowned-task] 'Task.detached' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        Task.detached { await self.work() }
        // error: [unowned-task] 'Task.immediate' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        Task.immediate { await work() }
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        _ = Task { await work() }
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        let unused = Task { await work() }
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        (Task { await work() })
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        if isNew { Task { await work() } }
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        defer { Task { await work() } }
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        [1].forEach { _ in Task { await work() } }
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        Task<Void, Never> { await work() }
        // error: [unowned-task] 'Task.detached' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        Task<Void, Never>.detached { await self.work() }
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        Task.init(operation: { await work() })
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        Job { await work() }
        switch isNew {
        // error: [unowned-task] 'Task' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        case true: Task { await work() }
        default: break
        }
        // error: [unowned-task] 'started()' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        started()
        // error: [unowned-task] 'DispatchQueue.async' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        DispatchQueue.main.async {}
        // error: [unowned-task] 'Thread.detachNewThread' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        Thread.detachNewThread {}
        // error: [unowned-task] 'Timer.scheduledTimer' starts work that nothing owns or cancels;
        //        run it with 'tasks.run' of the view model's context, await it, or keep its handle
        Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in }
    }

    func owned(_ tasks: OwnedTasks) async {
        tasks.run("work") { await self.work() }
        job = Task { await work() }
        jobs.append(Task { await work() })
        jobs += [Task { await work() }]
        await Task { await work() }.value
        _ = await Task.detached { await self.work() }.result
        let kept = Task { await work() }
        await withTaskCancellationHandler {
            await kept.value
        } onCancel: {
            kept.cancel()
        }
        async let other: Void = work()
        await other
        await withTaskGroup(of: Void.self) { group in group.addTask { await self.work() } }
        job = started()
        for waiting in jobs { await waiting.value }
    }

    @discardableResult
    func started() -> Task<Void, Never> {
        Task { await work() }
    }

    private func work() async {}
}
