/// What a library has lent.
public protocol LoanService: Sendable {
    func lateLoans() -> [Loan]
}

public struct Loan: Sendable {
    public let title: String
    public let kind: Kind
    /// The days since it was due.
    public let days: Int
    /// The member who has it, since 1.1; nil if the library does not say.
    public let member: String?

    public enum Kind: Sendable { case book, film }

    public init(title: String, kind: Kind, days: Int) {
        self.init(title: title, kind: kind, days: days, member: nil)
    }

    public init(title: String, kind: Kind, days: Int, member: String?) {
        (self.title, self.kind, self.days, self.member) = (title, kind, days, member)
    }
}
