import AtriumKit

/// Who signed up, and the rule that members are adults.
///
/// The fault: it sends requests itself, so the rule can't be tested without a server.
@MainActor
final class MemberRepository {
    private let api: any APIClient

    init(api: any APIClient) {
        self.api = api
    }

    func member() async throws -> Member? {
        do {
            return try await api.request(.member(try await api.request(.me)))
        } catch let error as APIError where error.status == 404 {
            return nil
        }
    }

    func submit(_ member: Member) async throws {
        guard member.age >= 18 else { throw ServiceError.minimumAge }
        let receipt = try await api.request(.submit(member, try await api.request(.me)))
        guard receipt.isAccepted else { throw ServiceError.refused(receipt) }
    }
}
