/// The orders in which categories are listed.
///
/// Names are compared as those of entities are (see ``SearchKey``); no two categories have the same one.
enum CategorySort: String, CaseIterable, Hashable, Sendable, Codable {
    case name
    /// Those with the most entities first, among equals by name.
    case mostUsed = "most-used"
}
