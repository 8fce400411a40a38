import AtriumKit

/// The wallet of the signed-in user; each change is stored as a new one, and the newest counts.
@MainActor
struct WalletRepository {
    let wallets: any RecordService<Wallet>
    let session: SessionWriter
    let clock: any WallClock

    func wallet() async throws -> Wallet {
        let account = try session.signedInUser(at: clock.now()).id
        let found = try await wallets.all(RecordQuery(filters: ["account": account]))
        return found.last { $0.account == account } ?? Wallet(account: account)
    }

    /// Throws if the card can't be paid with now, or the total is above the limit.
    func check(_ total: Money) async throws {
        let (wallet, hint) = (try await wallet(), "shop/account save --expires MM/YY")
        guard let card = wallet.card, let expires = wallet.expires else {
            throw ServiceError("noCard", "You have no payment method.", hint: hint)
        }
        guard !expires.isOver(at: clock.now()) else {
            let message = "Your card ending in \(card) expired at the end of \(expires.rawValue)."
            throw ServiceError("cardExpired", message, hint: hint)
        }
        guard total <= wallet.limit else {
            let message = "The total is above your limit of \(wallet.limit.euros) for a purchase."
            throw ServiceError("overLimit", message, hint: "shop/account limit EUROS")
        }
    }

    func save(_ number: CardNumber, _ expires: Expiry) async throws {
        var findings = number.problem.map { [ValidationFinding($0, field: "number")] } ?? []
        if expires.isOver(at: clock.now()) {
            findings += [.init("The card expired at the end of \(expires.rawValue).", field: "expires")]
        }
        try ValidationError.check(findings)
        try await change { ($0.card, $0.expires) = (number.lastDigits, expires) }
    }

    func setLimit(_ limit: Money) async throws { try await change { $0.limit = limit } }

    private func change(_ change: (inout Wallet) -> Void) async throws {
        var wallet = try await wallet()
        change(&wallet)
        try ValidationError.check(wallet.validate())
        _ = try await wallets.create(wallet)
    }
}
