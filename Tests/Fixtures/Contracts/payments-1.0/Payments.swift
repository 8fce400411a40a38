/// The payments of the library's members.
public protocol PaymentService: Sendable {
    func payments() -> [Payment]
}

public struct Payment: Sendable, Hashable {
    public let id: Int
    public let cents: Int

    public init(id: Int, cents: Int) {
        (self.id, self.cents) = (id, cents)
    }
}
