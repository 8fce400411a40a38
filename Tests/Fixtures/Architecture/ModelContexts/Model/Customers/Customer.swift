struct Customer: Sendable {
    let name: String
}
