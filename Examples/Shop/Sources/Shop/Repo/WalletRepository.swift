import AtriumKit

/// The wallet of the signed-in user.
@MainActor
protocol WalletRepository {
    func wallet() async throws -> Wallet
    /// Throws if the card can't be paid with now, or the total is above the limit.
    func check(_ total: Money) async throws
    func save(_ number: CardNumber, _ expiry: Expiry) async throws
    func setLimit(_ euros: Int) async throws
}

struct AccountWalletRepository: WalletRepository {
    let wallets: any WalletService
    let session: SessionWriter
    let clock: any WallClock

    func wallet() async throws -> Wallet { try await wallets.wallet(of: session.account) }

    func check(_ total: Money) async throws {
        let wallet = try await wallet()
        guard let card = wallet.card else { throw ServiceError.noCard }
        guard !card.expiry.isOver(at: clock.now()) else { throw ServiceError.expired(card) }
        guard total <= Money(euros: wallet.limit) else { throw ServiceError.overLimit(wallet.limit) }
    }

    func save(_ number: CardNumber, _ expiry: Expiry) async throws {
        var findings = number.problem.map { [ValidationFinding($0, field: "number")] } ?? []
        if expiry.isOver(at: clock.now()) {
            let problem = "The card expired at the end of \(expiry.rawValue)."
            findings.append(ValidationFinding(problem, field: "expires"))
        }
        try ValidationError.check(findings)
        let card = Card(lastDigits: number.lastDigits, expiry: expiry)
        try await wallets.save(card, limit: nil, of: session.account)
    }

    func setLimit(_ euros: Int) async throws {
        try ValidationError.check(ValidationFinding.checking("limit", euros, within: 1...10_000))
        try await wallets.save(nil, limit: euros, of: session.account)
    }
}

extension SessionWriter {
    /// The account that has the wallet and the orders.
    var account: String {
        get throws {
            guard let user else { throw ServiceError.notAuthenticated }
            return user.id
        }
    }
}
