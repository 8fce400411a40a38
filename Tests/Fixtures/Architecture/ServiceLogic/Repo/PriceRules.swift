enum PriceRules {
    static let lowest = 0
}
