import AtriumKit

/// All notes.
///
/// They are shown by pages; the link is `notes`.
struct NoteList: Destination {
    static let pattern: LinkPattern = "notes"

    var page: Int?
    var search: String?
}

/// One note.
///
/// Its link is `notes/42`.
struct NoteDetail: Destination {
    static let pattern: LinkPattern = "notes/:id"

    let id: Int
}
