import AtriumKit

/// The member at the server.
struct RemoteMemberService: MemberService {
    let api: APIManager

    func member() async throws -> Member? {
        try await withCheckedThrowingContinuation { continuation in
            api.request {
                try await $0.member($1)
            } completion: {
                continuation.resume(with: $0)
            }
        }
    }

    func submit(_ member: Member) async throws {
        try await withCheckedThrowingContinuation { continuation in
            api.request {
                try await $0.submit(member, $1)
            } completion: {
                continuation.resume(with: $0)
            }
        }
    }
}
