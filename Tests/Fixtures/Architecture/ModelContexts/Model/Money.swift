// What lies here belongs to all contexts.
struct Money: Sendable {
    let cents: Int
}
