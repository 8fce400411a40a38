/// A category that entities are in.
struct EntityCategory: Codable, Hashable, Sendable {
    /// As it is written in the entity that was in it first; the case of the others may differ.
    let name: String
    /// How many entities are in it; at least one.
    let count: Int
}
