/// Which people of the directory are wanted; a part that is nil leaves nobody out.
struct UserFilter: Codable, Hashable, Sendable {
    /// A text in name or address, in any case.
    let search: String?
    let status: UserStatus?

    /// - Parameters:
    ///   - search: White space around it does not count, and an empty text is the same as none.
    ///   - status: Only people of this status.
    init(search: String? = nil, status: UserStatus? = nil) {
        let search = search?.trimmed ?? ""
        self.search = search.isEmpty ? nil : search
        self.status = status
    }

    /// Nobody is left out.
    static let all = UserFilter()

    /// Whether `user` is wanted.
    func matches(_ user: DirectoryUser) -> Bool {
        if let status, user.status != status { return false }
        guard let search else { return true }
        // No text matches across the two: no search contains a control character.
        return Self.contains(Self.key("\(user.displayName ?? "")\u{1F}\(user.email ?? "")"), Self.key(search))
    }

    /// The form under which texts are compared: case is ignored by Unicode's lower-case mapping, accents and
    /// normalization are not.
    static func key(_ text: String) -> String { text.lowercased() }

    private static func contains(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.unicodeScalars), Array(part.unicodeScalars))
        guard part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
    }
}

/// The orders in which people are listed; among equal names the account decides.
enum UserSort: String, CaseIterable, Codable, Hashable, Sendable {
    case name
    case nameDescending = "-name"

    /// Whether `left` comes before `right`.
    func isInOrder(_ left: DirectoryUser, _ right: DirectoryUser) -> Bool {
        self == .name ? Self.isAscending(left, right) : Self.isAscending(right, left)
    }

    private static func isAscending(_ left: DirectoryUser, _ right: DirectoryUser) -> Bool {
        let (leftKey, rightKey) = (UserFilter.key(left.name), UserFilter.key(right.name))
        guard !leftKey.unicodeScalars.elementsEqual(rightKey.unicodeScalars) else {
            return left.id < right.id
        }
        return leftKey.unicodeScalars.lexicographicallyPrecedes(rightKey.unicodeScalars)
    }
}
