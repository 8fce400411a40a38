import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

@MainActor
@Suite("Concurrent service calls", .timeLimit(.minutes(5)))
struct InParallelTests {
    private let time = VirtualTime()

    /// Services with delays and failures that the test sets; `log` records starts, ends and cancellations.
    private struct SlowServices: UserDirectoryService, UserProfileService {
        let time: VirtualTime
        let log = CallLog()
        var userTakes = Duration.seconds(3)
        var profileTakes = Duration.seconds(5)
        var failing: String?

        func user(_ id: String) async throws -> DirectoryUser {
            try await work("user", userTakes)
            return DirectoryUser(id: id, email: nil, displayName: "Ada", status: .active)
        }

        func profile(ofAccount account: String) async throws -> StoredProfile? {
            try await work("profile", profileTakes)
            return StoredProfile(profile: .ada, version: 1)
        }

        func users(_ query: UserQuery) async throws -> UserPage { query.page(of: []) }

        func submit(
            _ profile: Profile, ofAccount account: String, replacing version: ProfileVersion
        ) async throws -> SubmissionReceipt {
            .accepted(version.next)
        }

        private func work(_ name: String, _ duration: Duration) async throws {
            log.add("\(name) begins")
            do {
                try await time.sleep(duration)
            } catch {
                log.add("\(name) is cancelled")
                throw error
            }
            if failing == name { throw ServiceError.profiles }
            log.add("\(name) ends")
        }
    }

    private func repository(_ services: SlowServices) -> UserDirectoryRepository {
        UserDirectoryRepository(
            directory: services, profiles: services, offline: SavedProfileAnswers(.none),
            session: TestSession(.ada).writer,
            clock: time)
    }

    @Test("Two concurrent calls take as long as the longer one")
    func overlap() async throws {
        let services = SlowServices(time: time)
        let repository = repository(services)
        let person = Task { try await repository.person("mock-ada") }

        await time.sleepers(2)
        time.advance(.seconds(5))

        #expect(try await person.value.value.profile == .ada)
        #expect(time.elapsed == .seconds(5))
    }

    @Test(
        "If one call fails, the other is cancelled at once",
        arguments: [("user", "profile"), ("profile", "user")])
    func failure(_ failing: String, _ other: String) async {
        var services = SlowServices(time: time)
        services.failing = failing
        services.userTakes = .seconds(failing == "user" ? 1 : 3_600)
        services.profileTakes = .seconds(failing == "profile" ? 1 : 3_600)
        let (repository, log) = (repository(services), services.log)
        let person = Task { try await repository.person("mock-ada") }

        await time.sleepers(2)
        time.advance(.seconds(1))

        await #expect(throws: ServiceError.profiles) { try await person.value }
        #expect(log.all.last == "\(other) is cancelled")
        #expect(time.elapsed == .seconds(1))
    }

    @Test("Cancelling the caller cancels both calls")
    func cancelled() async {
        let services = SlowServices(time: time)
        let (repository, log) = (repository(services), services.log)
        let person = Task { try await repository.person("mock-ada") }
        await time.sleepers(2)

        person.cancel()

        await #expect(throws: CancellationError.self) { try await person.value }
        #expect(Set(log.all.suffix(2)) == ["user is cancelled", "profile is cancelled"])
    }
}

@Suite("Batch", .timeLimit(.minutes(5)))
struct BatchTests {
    private let time = VirtualTime()

    @Test(
        "Outcomes are in the order of the input, whichever ends first; a failure affects its own element only"
    )
    func order() async throws {
        let time = time
        let batch = Task {
            try await Batch.outcomes(of: Array(0..<5), width: 5) { number in
                try await time.sleep(.seconds(5 - number))
                if number == 2 { throw ServiceError.profiles }
                return number * 10
            }
        }

        await time.sleepers(5)
        for _ in 0..<5 { time.advance(.seconds(1)) }

        let outcomes = try await batch.value
        #expect(outcomes.map { try? $0.get() } == [0, 10, nil, 30, 40])
        #expect(throws: ServiceError.profiles) { try outcomes[2].get() }
    }

    @Test("At most `width` elements are processed at the same time", arguments: [1, 3, 8])
    func width(_ width: Int) async throws {
        let counter = Counter()

        let outcomes = try await Batch.outcomes(of: Array(0..<40), width: width) { number in
            await counter.enter()
            for _ in 0..<5 { await Task.yield() }
            await counter.leave()
            return number
        }

        #expect(outcomes.count == 40)
        #expect(await counter.most <= width)
        #expect(await counter.most > 0)
    }

    @Test("Cancelling ends the batch and starts no more elements")
    func cancelled() async {
        let (time, log) = (time, CallLog())
        let batch = Task {
            try await Batch.outcomes(of: Array(0..<10), width: 2) { number in
                log.add("\(number)")
                try await time.sleep(.seconds(1))
            }
        }
        await time.sleepers(2)

        batch.cancel()

        await #expect(throws: CancellationError.self) { try await batch.value }
        #expect(log.all.sorted() == ["0", "1"])
    }

    private actor Counter {
        private var present = 0
        private(set) var most = 0

        func enter() {
            present += 1
            most = max(most, present)
        }

        func leave() { present -= 1 }
    }
}
