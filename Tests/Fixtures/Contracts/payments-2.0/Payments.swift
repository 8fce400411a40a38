/// The payments of the library's members.
public protocol PaymentService: Sendable {
    /// Has a parameter since 2.0.
    func payments(of payer: String) -> [Payment]
}

public struct Payment: Sendable, Hashable {
    public let payer: String
    public let cents: Int

    public init(payer: String, cents: Int) {
        (self.payer, self.cents) = (payer, cents)
    }
}
