/// The commands that run, or wait for a screen.
@MainActor
package final class RunningJobs {
    private let now: @MainActor () -> ContinuousClock.Instant
    package private(set) var all: [Job] = []

    package init(now: @escaping @MainActor () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// Adds a command, with the smallest free number.
    package func begin(text: String, link: String) -> Job {
        let index = all.enumerated().first { $1.number != $0 + 1 }?.offset ?? all.count
        let job = Job(number: index + 1, text: text, link: link, beganAt: now(), in: self)
        all.insert(job, at: index)
        return job
    }

    package var foreground: Job? {
        all.filter { $0.state == .running }.max { $0.beganAt < $1.beganAt }
    }

    package func elapsed(_ job: Job) -> Duration {
        job.beganAt.duration(to: now())
    }

    fileprivate func end(_ job: Job) {
        all.removeAll { $0 === job }
    }

    @MainActor
    package final class Job {
        package let number: Int
        /// Without secrets.
        package let text: String
        /// The screen on which it was typed.
        package let link: String
        package private(set) var state = State.running
        fileprivate let beganAt: ContinuousClock.Instant
        private weak var jobs: RunningJobs?

        fileprivate init(
            number: Int, text: String, link: String, beganAt: ContinuousClock.Instant, in jobs: RunningJobs
        ) {
            self.number = number
            self.text = text
            self.link = link
            self.beganAt = beganAt
            self.jobs = jobs
        }

        package enum State: Hashable, Sendable {
            case running
            case waiting(link: String)
        }

        package func waits(for link: String) {
            state = .waiting(link: link)
        }

        package func resumes() {
            state = .running
        }

        package func end() {
            jobs?.end(self)
        }
    }
}

extension RunningJobs.Job.State {
    var words: String {
        switch self {
        case .running: "running"
        case .waiting(let link): "waiting for \(link)"
        }
    }
}
