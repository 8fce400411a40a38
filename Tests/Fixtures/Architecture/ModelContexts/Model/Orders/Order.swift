struct Order: Sendable {
    let total: Money
    // One other context is what models are related by.
    let customer: Customer
}
