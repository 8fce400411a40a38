// A struct is a repository if it is registered as one, here under another name.
typealias Ledger = LedgerRepository

// error: [pass-through-repository] 'LedgerRepository' only hands calls on to a service;
//        give it the rule, cache or coordination that it is for, or do without it
struct LedgerRepository {
    let prices: any PriceService
}

extension LedgerRepository {
    func cents(of product: String) async -> Int? {
        try? await prices.cents(of: product)
    }
}
