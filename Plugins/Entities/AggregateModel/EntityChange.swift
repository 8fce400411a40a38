/// A change that was made, as the service answered it.
enum EntityChange: Hashable, Sendable {
    case created(Entity)
    /// The entity as it is now.
    case updated(Entity)
    /// The entity as it was.
    case deleted(Entity)
    /// So many were created at once.
    case imported(Int)
}
