/// What a library has lent.
public protocol LoanService: Sendable {
    func lateLoans() -> [Loan]
}

public struct Loan: Sendable {
    public let title: String
    public let kind: Kind
    /// The days since it was due.
    public let days: Int

    public enum Kind: Sendable { case book, film }

    public init(title: String, kind: Kind, days: Int) {
        (self.title, self.kind, self.days) = (title, kind, days)
    }
}
