@MainActor
final class RunningJobs {
    private let now: @MainActor () -> ContinuousClock.Instant
    private(set) var all: [Job] = []

    init(now: @escaping @MainActor () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Adds a command, with the smallest free number.
    func begin(text: String, link: String) -> Job {
        let index = all.enumerated().first { $1.number != $0 + 1 }?.offset ?? all.count
        let job = Job(number: index + 1, text: text, link: link, beganAt: now())
        all.insert(job, at: index)
        return job
    }

    func end(_ job: Job) { all.removeAll { $0 === job } }

    var foreground: Job? { all.filter { $0.awaited == nil }.max { $0.beganAt < $1.beganAt } }

    func elapsed(_ job: Job) -> Duration { job.beganAt.duration(to: now()) }

    @MainActor
    final class Job {
        let number: Int
        /// Without secrets.
        let text: String
        let link: String
        /// The link of the screen that it waits for; nil while it runs.
        var awaited: String?
        fileprivate let beganAt: ContinuousClock.Instant

        fileprivate init(number: Int, text: String, link: String, beganAt: ContinuousClock.Instant) {
            self.number = number
            self.text = text
            self.link = link
            self.beganAt = beganAt
        }

        var state: String { awaited.map { "waiting for \($0)" } ?? "running" }
    }
}
