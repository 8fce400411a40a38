import AtriumKit

/// An invented member, forgotten when the host ends.
actor MockMemberService: MemberService {
    private let behavior: MockBehavior
    private var latest: Member? = Member(firstName: "Mary", lastName: "Shelley", age: 53)

    init(_ behavior: MockBehavior) {
        self.behavior = behavior
    }

    func member() async throws -> Member? {
        try await play("member")
        return latest
    }

    func submit(_ member: Member) async throws {
        try await play("submit")
        latest = member
    }

    private func play(_ call: String) async throws {
        try await behavior.play(
            call, failingWith: ServiceError.unavailable("The list of members", mock: "MemberService"))
    }
}
