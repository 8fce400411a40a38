public import Payments

/// A contract that is built on another one.
public protocol LedgerService: Sendable {
    func entries() -> [Payment]
}
