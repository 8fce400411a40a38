/// The payments of the library's members.
public protocol PaymentService: Sendable {
    func payments() -> [Payment]

    /// Added with 1.1.
    func total() -> Int
}

extension PaymentService {
    public func total() -> Int { payments().reduce(0) { $0 + $1.cents } }
}

public struct Payment: Sendable, Hashable {
    /// Added with 1.1, before the others.
    public let payer: String?
    public let id: Int
    public let cents: Int

    public init(id: Int, cents: Int) {
        self.init(id: id, cents: cents, payer: nil)
    }

    public init(id: Int, cents: Int, payer: String?) {
        (self.payer, self.id, self.cents) = (payer, id, cents)
    }
}
