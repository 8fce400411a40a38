import AtriumKit

/// The wallet of the signed-in user.
@MainActor
protocol WalletRepository {
    func wallet() async throws -> Wallet
    /// What a purchase may cost, in euros.
    func limit(of wallet: Wallet) async throws -> Int
    /// Throws if the card can't be paid with now, or the total is above the limit.
    func check(_ total: Money) async throws
    func save(_ number: CardNumber, _ expiry: Expiry) async throws -> Wallet
    func setLimit(_ euros: Int) async throws
}

struct AccountWalletRepository: WalletRepository {
    let wallets: any RecordService<Wallet>
    let limits: any LimitService
    let session: SessionWriter
    let clock: any WallClock

    func wallet() async throws -> Wallet {
        let account = try session.account
        return try await wallets.records(of: account).first ?? Wallet(account: account)
    }

    func limit(of wallet: Wallet) async throws -> Int {
        if let limit = wallet.limit { limit } else { try await limits.limit() }
    }

    func check(_ total: Money) async throws {
        let wallet = try await wallet()
        guard let card = wallet.card, let expiry = wallet.expires else { throw ServiceError.noCard }
        guard !expiry.isOver(at: clock.now()) else { throw ServiceError.expired(card, expiry) }
        let limit = try await limit(of: wallet)
        guard total <= Money(euros: limit) else { throw ServiceError.overLimit(limit) }
    }

    func save(_ number: CardNumber, _ expiry: Expiry) async throws -> Wallet {
        var findings = number.problem.map { [ValidationFinding($0, field: "number")] } ?? []
        if expiry.isOver(at: clock.now()) {
            let problem = "The card expired at the end of \(expiry.rawValue)."
            findings.append(ValidationFinding(problem, field: "expires"))
        }
        try ValidationError.check(findings)
        return try await change { ($0.card, $0.expires) = (number.lastDigits, expiry) }
    }

    func setLimit(_ euros: Int) async throws { _ = try await change { $0.limit = euros } }

    private func change(_ change: (inout Wallet) -> Void) async throws -> Wallet {
        let former = try await wallet()
        var wallet = former
        change(&wallet)
        try ValidationError.check(wallet.validate())
        return try await former.id == 0 ? wallets.create(wallet) : wallets.update(wallet, from: former)
    }
}
