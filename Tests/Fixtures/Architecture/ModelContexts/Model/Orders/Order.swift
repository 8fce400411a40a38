struct Order: Sendable {
    let total: Money
    // A model may refer to one other context.
    let customer: Customer
}
