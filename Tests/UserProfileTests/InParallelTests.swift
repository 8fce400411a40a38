import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

@MainActor
@Suite("Concurrent service calls", .timeLimit(.minutes(5)))
struct InParallelTests {
    private let time = VirtualTime()

    /// Services with delays and failures that the test sets; `log` records starts, ends and cancellations.
    private struct SlowServices: ReadOnlyRecordService, UserProfileService {
        let time: VirtualTime
        let log = CallLog()
        var userTakes = Duration.seconds(3)
        var profileTakes = Duration.seconds(5)
        var failing: String?

        func record(_ id: String) async throws -> DirectoryUser {
            try await work("user", userTakes)
            return DirectoryUser(id: id, name: "Ada")
        }

        func profile(ofAccount account: String) async throws -> StoredProfile? {
            try await work("profile", profileTakes)
            return StoredProfile(profile: .ada, version: 1)
        }

        func page(_ query: RecordQuery<DirectoryUser>) async throws -> RecordPage<DirectoryUser> {
            RecordPage()
        }

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
            directory: services, profiles: services, offline: OfflineStore.none,
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
