/// Whose database it is and where, for messages.
struct DatabaseLocation: Sendable, Hashable {
    /// The name of the module.
    let owner: String
    /// The file, as the host named it.
    let path: String

    /// The path in a form that SQLite takes for a file whatever its name is: `:memory:` is one too.
    var filePath: String {
        path.hasPrefix("/") ? path : "./" + path
    }
}
