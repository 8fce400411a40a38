import AtriumKit

/// The wallet of the signed-in person.
@MainActor
protocol WalletRepository {
    func wallet() async throws -> Wallet
    /// The wallet, if it has a card that can be paid with now.
    func payingWallet() async throws -> Wallet
    func save(_ draft: CardDraft) async throws -> Card
    func setLimit(_ euros: Int) async throws
}

@MainActor
final class AccountWalletRepository: WalletRepository {
    private let wallets: any WalletService
    private let session: SessionWriter
    private let clock: any WallClock

    init(wallets: any WalletService, session: SessionWriter, clock: any WallClock) {
        self.wallets = wallets
        self.session = session
        self.clock = clock
    }

    func wallet() async throws -> Wallet {
        try await wallets.wallet(of: session.account)
    }

    func payingWallet() async throws -> Wallet {
        let wallet = try await wallet()
        guard let card = wallet.card else { throw ServiceError.noCard }
        guard !card.expiry.isOver(at: clock.now()) else { throw ServiceError.expired(card) }
        return wallet
    }

    func save(_ draft: CardDraft) async throws -> Card {
        try ValidationError.check(draft.validate(at: clock.now()))
        try await wallets.save(draft.card, of: session.account)
        return draft.card
    }

    func setLimit(_ euros: Int) async throws {
        try ValidationError.check(ValidationFinding.checking("limit", euros, within: Wallet.limits))
        try await wallets.setLimit(euros, of: session.account)
    }
}

extension SessionWriter {
    /// Whose wallet and orders are meant.
    var account: String {
        get throws {
            guard let user else { throw ServiceError.notAuthenticated }
            return user.id
        }
    }
}
