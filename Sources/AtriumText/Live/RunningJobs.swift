@MainActor
package final class RunningJobs {
    /// The maximum number of background commands of a front end.
    package static let limit = 32
    private let now: @MainActor () -> ContinuousClock.Instant
    package private(set) var all: [Job] = []
    /// True if the current task belongs to a background command.
    @TaskLocal package static var runsInBackground = false

    package init(now: @escaping @MainActor () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Adds a command, with the smallest free number.
    package func begin(text: String, link: String) -> Job {
        let index = all.enumerated().first { $1.number != $0 + 1 }?.offset ?? all.count
        let job = Job(number: index + 1, text: text, link: link, beganAt: now())
        all.insert(job, at: index)
        return job
    }

    package func end(_ job: Job) {
        all.removeAll { $0 === job }
        for wait in job.waits { wait.finish() }
        job.waits = []
    }

    /// Waits until a command has ended.
    ///
    /// - Throws: `CancellationError`, if the caller is cancelled.
    package func wait(for job: Job) async throws {
        guard all.contains(where: { $0 === job }) else { return }
        let (ends, end) = AsyncStream<Never>.makeStream()
        job.waits.append(end)
        for await _ in ends {}
        try Task.checkCancellation()
    }

    package var inBackground: [Job] { all.filter(\.isInBackground) }

    package var foreground: Job? {
        all.filter { $0.awaited == nil && !$0.isInBackground }.max { $0.beganAt < $1.beganAt }
    }

    package func elapsed(_ job: Job) -> Duration { job.beganAt.duration(to: now()) }

    @MainActor
    package final class Job {
        package let number: Int
        /// Without secrets.
        package let text: String
        package let link: String
        /// The link of the screen that it waits for; nil while it runs.
        package var awaited: String?
        /// The task of a background command; nil for others.
        package var task: Task<Void, Never>?
        package var isInBackground = false
        fileprivate var waits: [AsyncStream<Never>.Continuation] = []
        package let beganAt: ContinuousClock.Instant

        fileprivate init(number: Int, text: String, link: String, beganAt: ContinuousClock.Instant) {
            self.number = number
            self.text = text
            self.link = link
            self.beganAt = beganAt
        }

        package func cancel() { task?.cancel() }

        package var state: String { awaited.map { "waiting for \($0)" } ?? "running" }
    }
}
