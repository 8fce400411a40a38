/// Where members are kept.
protocol MemberService: Sendable {
    /// Who signed up; nil if nobody did.
    func member() async throws -> Member?
    /// Stores a member in place of the former one.
    func submit(_ member: Member) async throws
}
