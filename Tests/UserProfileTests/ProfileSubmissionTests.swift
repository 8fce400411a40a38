import AtriumKit
import AtriumTesting
import LiveTestSupport
import TestSupport
import Testing

@testable import UserProfile

/// Submissions whose answer is lost, and those whose caller was cancelled.
@MainActor
@Suite("Profile submissions", .timeLimit(.minutes(5)))
struct ProfileSubmissionTests {
    private let session = TestSession(.ada)
    private let time = VirtualTime()
    private nonisolated static let lost = ServiceError.failed(
        "The profile could not be submitted",
        cause: .requestFailed(.connectionLost, "The connection ended before the answer did."))

    private var services: RecordingServices {
        var services = RecordingServices(session: session)
        services.stored = .ada
        return services
    }

    private func form(_ services: RecordingServices) async throws -> ProfileEditViewModel {
        let form = ProfileEditViewModel(
            repository: UserProfileRepository(services), session: session.state,
            navigator: RecordingNavigator())
        try await form.load()
        _ = try await form.set("lastName", to: "King")
        return form
    }

    // MARK: - Lost answers

    @Test(
        "A submission without a valid answer has an unknown outcome and keeps the form",
        arguments: [
            ErrorCode.connectionLost, .timedOut, .invalidResponse, .answerTooLarge,
        ])
    func lost(_ code: ErrorCode) async throws {
        var services = services
        services.failure = (
            "submit", ServiceError.failed("The profile", cause: .requestFailed(code, "No answer."))
        )
        let form = try await form(services)

        let error = await #expect(throws: ServiceError.self) { try await form.submit() }

        #expect(error?.code == "unknownOutcome")
        #expect(
            error?.message == """
                It is not known whether the profile was stored: the server's answer was lost \
                (The profile: No answer.).
                """)
        #expect(error?.hint == "profile refresh")
        #expect(error?.cause is ServiceError)
        #expect(form.savedState?.texts == ["lastName": "King"])
    }

    @Test("An unreachable or refusing server is a failure, not an unknown outcome")
    func refused() async throws {
        for cause in [APIError.offline, .problem(403, "forbidden")] {
            var services = services
            let failure = ServiceError.failed("The profile could not be submitted", cause: cause)
            services.failure = ("submit", failure)
            let form = try await form(services)

            await #expect(throws: failure) { try await form.submit() }
        }
    }

    @Test("A lost answer clears the cached profile")
    func readAgain() async throws {
        var services = services
        services.failure = ("submit", Self.lost)
        let repository = UserProfileRepository(services)
        _ = try await repository.profile()

        _ = try? await repository.submit(.ada, ofAccount: "mock-ada")
        _ = try await repository.profile()

        #expect(services.log.all.count { $0.hasPrefix("read") } == 2)
    }

    @Test("If the answer to the notification is lost, the error says that the profile was stored")
    func lostNotification() async throws {
        var services = services
        services.failure = ("notify", Self.lost)

        let error = await #expect(throws: ServiceError.self) {
            try await UserProfileRepository(services).submit(.ada, ofAccount: "mock-ada")
        }

        #expect(error?.code == "notificationFailed")
        #expect(error?.message == "The profile was stored; whether its notification was sent is not known.")
        #expect(error?.hint == "profile/notifications")
    }

    @Test("The server stores a submission once, even if answers to its retries are lost")
    func storedOnce() async throws {
        let server = try ReferenceServer()
        let services = try await Services(.live, try LiveAPI.device(of: server))
        let path = "/v1/users/\(services.account)/profile"

        try server.add(.lost, on: path, method: "PUT")
        let receipt = try await services.profiles.submit(
            .ada, ofAccount: services.account, replacing: .none)
        try server.add(.half, on: path, method: "PUT", count: nil)
        let error = await #expect(throws: ServiceError.self) {
            try await services.profiles.submit(.ada, ofAccount: services.account, replacing: 1)
        }
        #expect(error?.mayHaveChanged == true)
        try server.clearFaults()

        #expect(receipt == .accepted(1))
        #expect(try await services.profiles.profile(ofAccount: services.account)?.version == 2)
    }

    // MARK: - Cancelled callers

    @Test("A cancelled submission returns at once and is not known to be stored; the form shows its result")
    func cancelled() async throws {
        var services = services
        services.pause = ("submit", { [time] in try await time.sleep(.seconds(1)) })
        let form = try await form(services)
        let submission = Task { try await form.submit() }
        await time.sleepers(1)

        submission.cancel()
        let error = await #expect(throws: ServiceError.self) { try await submission.value }

        #expect(error == .cancelledWhenSent)
        #expect(error?.category == .cancelled)
        #expect(form.isSaving)
        #expect(services.submitted.all.isEmpty)
        time.advance(.seconds(1))
        await settled(form)
        #expect(services.submitted.all == ["mock-ada: Ada King, 36, no bio"])
        #expect(form.draft.stored.fullName == "Ada King")
        #expect(form.savedState == nil)
    }

    @Test("A background failure is shown in the form until it is reset")
    func missed() async throws {
        var services = services
        services.pause = ("submit", { [time] in try await time.sleep(.seconds(1)) })
        services.receipt = .refused("No.")
        let form = try await form(services)
        let submission = Task { try await form.submit() }
        await time.sleepers(1)

        submission.cancel()
        _ = try? await submission.value
        time.advance(.seconds(1))
        await settled(form)

        #expect(form.backgroundFailure?.message == "The profile was not accepted: No.")
        #expect(form.savedState?.texts == ["lastName": "King"])
        _ = try await form.reset()
        #expect(form.backgroundFailure == nil)
    }

    @Test("Fields that are set during a submission stay set after it")
    func setMeanwhile() async throws {
        var services = services
        services.pause = ("submit", { [time] in try await time.sleep(.seconds(1)) })
        let form = try await form(services)
        let submission = Task { try await form.submit() }
        await time.sleepers(1)

        _ = try await form.set("bio", to: "Later.")
        time.advance(.seconds(1))
        _ = try await submission.value

        #expect(form.draft.stored.fullName == "Ada King")
        #expect(form.savedState?.texts == ["bio": "Later."])
    }

    /// Waits until the submission in the background has ended.
    private func settled(_ form: ProfileEditViewModel) async {
        await eventually("the form is not being saved") { !form.isSaving }
    }
}
