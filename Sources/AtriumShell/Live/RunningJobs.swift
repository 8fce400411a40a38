/// The commands that run, or that wait for a place to answer.
@MainActor
package final class RunningJobs {
    private let now: @MainActor () -> ContinuousClock.Instant
    /// The commands, by their numbers.
    package private(set) var all: [Job] = []

    /// Makes an empty list.
    ///
    /// - Parameter now: The time; that of the system unless given.
    package init(now: @escaping @MainActor () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// A command begins.
    ///
    /// - Parameters:
    ///   - text: The command as it was typed, without secrets.
    ///   - place: The link of the place where it was typed.
    /// - Returns: The job, to be ended with the command; its number is the smallest that is free.
    package func begin(text: String, place: String) -> Job {
        let index = all.enumerated().first { $1.number != $0 + 1 }?.offset ?? all.count
        let job = Job(number: index + 1, text: text, place: place, beganAt: now(), in: self)
        all.insert(job, at: index)
        return job
    }

    /// The command that a person waits for: the latest that runs.
    package var foreground: Job? {
        all.filter { $0.state == .running }.max { $0.beganAt < $1.beganAt }
    }

    /// How long a job has taken so far.
    package func elapsed(_ job: Job) -> Duration {
        job.beganAt.duration(to: now())
    }

    fileprivate func end(_ job: Job) {
        all.removeAll { $0 === job }
    }

    /// One command.
    @MainActor
    package final class Job {
        package let number: Int
        /// The command as it was typed, without secrets.
        package let text: String
        /// The link of the place where it was typed.
        package let place: String
        package private(set) var state = State.running
        fileprivate let beganAt: ContinuousClock.Instant
        private weak var jobs: RunningJobs?

        fileprivate init(
            number: Int, text: String, place: String, beganAt: ContinuousClock.Instant, in jobs: RunningJobs
        ) {
            self.number = number
            self.text = text
            self.place = place
            self.beganAt = beganAt
            self.jobs = jobs
        }

        /// What a command is about.
        package enum State: Hashable, Sendable {
            case running
            /// It waits for what a person does at a place.
            case waiting(place: String)
        }

        /// The command waits for what a person does at `place`.
        package func waits(for place: String) {
            state = .waiting(place: place)
        }

        /// The command goes on.
        package func goesOn() {
            state = .running
        }

        /// The command has ended; once is enough.
        package func end() {
            jobs?.end(self)
        }
    }
}

extension RunningJobs.Job.State {
    /// The state as `jobs` lists it.
    var words: String {
        switch self {
        case .running: "running"
        case .waiting(let place): "waiting for \(place)"
        }
    }
}
