struct Item: Sendable {
    let price: Money
}
