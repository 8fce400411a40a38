import AtriumKit

/// Who signed up, and the rule that members are adults.
@MainActor
final class MemberRepository {
    private let members: any MemberService

    init(members: any MemberService) {
        self.members = members
    }

    func member() async throws -> Member? {
        try await members.member()
    }

    func submit(_ member: Member) async throws {
        guard member.age >= 18 else { throw ServiceError.minimumAge }
        try await members.submit(member)
    }
}
