/// The categories that entities are in.
struct CategoryList: Codable, Hashable, Sendable {
    /// Those that were asked for, in order.
    let rows: [EntityCategory]
    /// How many there are.
    let total: Int
}
