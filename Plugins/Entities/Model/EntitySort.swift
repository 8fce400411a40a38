/// The orders in which entities are listed.
///
/// Names are compared without regard to case, scalar by scalar (see ``SearchKey``). Among equals the id
/// decides, so that an order has no gaps between pages; a descending order is the ascending one reversed.
enum EntitySort: String, CaseIterable, Hashable, Sendable, Codable {
    case name
    case nameDescending = "-name"
    case newest
    case oldest

    /// Whether `left` comes before `right`.
    func isInOrder(_ left: Entity, _ right: Entity) -> Bool {
        switch self {
        case .name: Self.isNameAscending(left, right)
        case .nameDescending: Self.isNameAscending(right, left)
        case .oldest: (left.createdAt, left.id) < (right.createdAt, right.id)
        case .newest: (right.createdAt, right.id) < (left.createdAt, left.id)
        }
    }

    private static func isNameAscending(_ left: Entity, _ right: Entity) -> Bool {
        let (leftKey, rightKey) = (SearchKey.of(left.name), SearchKey.of(right.name))
        if leftKey.unicodeScalars.elementsEqual(rightKey.unicodeScalars) { return left.id < right.id }
        return leftKey.unicodeScalars.lexicographicallyPrecedes(rightKey.unicodeScalars)
    }
}
