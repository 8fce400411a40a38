import AtriumKit

/// The member that the server keeps for the person who is signed in.
struct LiveMemberService: MemberService {
    let api: any APIClient

    func member() async throws -> Member? {
        do {
            return try await api.request(.member(try await api.request(.me)))
        } catch let error as APIError where error.status == 404 {
            return nil
        }
    }

    func submit(_ member: Member) async throws {
        let receipt = try await api.request(.submit(member, try await api.request(.me)))
        guard receipt.isAccepted else { throw ServiceError.refused(receipt) }
    }
}
