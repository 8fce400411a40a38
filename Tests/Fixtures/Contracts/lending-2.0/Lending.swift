/// What a library has lent.
public protocol LoanService: Sendable {
    /// Of one member, since 2.0.
    func lateLoans(of member: String) -> [Loan]
}

public struct Loan: Sendable {
    public let title: String
    public let lateness: Duration

    public init(title: String, lateness: Duration) {
        (self.title, self.lateness) = (title, lateness)
    }
}
