import AtriumKit
import Observation

/// The state of the screen, and the rules of its fields.
@MainActor
@Observable
final class MemberViewModel: ViewModel {
    private(set) var member: Member?
    private(set) var isSubmitting = false
    private let repository: MemberRepository

    init(repository: MemberRepository) {
        self.repository = repository
    }

    func load() async throws {
        member = try await repository.member()
    }

    func submit(_ member: Member) async throws -> ActionResult {
        try ValidationError.check(member.validate())
        isSubmitting = true
        defer { isSubmitting = false }
        try await repository.submit(member)
        self.member = member
        return .updated("Submitted \(member.firstName) \(member.lastName).")
    }
}
