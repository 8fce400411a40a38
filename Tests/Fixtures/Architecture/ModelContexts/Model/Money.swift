// A type in this folder belongs to all contexts.
struct Money: Sendable {
    let cents: Int
}
