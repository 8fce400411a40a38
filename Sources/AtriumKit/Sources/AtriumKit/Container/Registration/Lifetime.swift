/// How long a value that the container built lives.
public enum Lifetime: String, Sendable, Hashable {
    /// Built when first wanted, then the same for everybody until the module's generation leaves.
    case shared
    /// Built anew each time.
    case transient
    /// Built once per stack entry, when the entry's screen first wants it, and released with the entry.
    ///
    /// A shared value can't hold one: it would outlive the entry.
    case entry
}
