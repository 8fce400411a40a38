/// What a library has lent.
public protocol LoanService: Sendable {
    func lateLoans() -> [Loan]
}

public struct Loan: Sendable {
    public let title: String
    public let kind: Kind
    /// The time since it was due; since 1.2.
    public let lateness: Duration
    /// The member who has it, since 1.1; nil if the library does not say.
    public let member: String?

    @available(*, deprecated, message: "Use lateness.")
    public var days: Int { Int(lateness / .seconds(86_400)) }

    public enum Kind: Sendable { case book, film }

    public init(title: String, kind: Kind, days: Int) {
        self.init(title: title, kind: kind, days: days, member: nil)
    }

    public init(title: String, kind: Kind, days: Int, member: String?) {
        (self.title, self.kind, self.member) = (title, kind, member)
        lateness = .seconds(86_400 * days)
    }
}
