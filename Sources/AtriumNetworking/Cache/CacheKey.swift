internal import AtriumKit

/// What an answer is stored under.
struct CacheKey: Hashable, Sendable {
    let url: String
    /// The sign-in that the request carried; nil without one: no answer to one person serves another.
    let person: String?
    /// The header fields of the request but its token, which are all that the answer may vary by.
    let fields: HTTPFields
}
