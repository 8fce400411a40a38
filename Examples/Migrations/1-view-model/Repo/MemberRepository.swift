import AtriumKit
import Observation

/// Who signed up, in memory, and the rule that members are adults.
@MainActor
@Observable
final class MemberRepository {
    var latest: Member?

    func member() async throws -> Member? { latest }

    func submit(_ member: Member) async throws {
        guard member.age >= 18 else { throw ServiceError.minimumAge }
        latest = member
    }
}
