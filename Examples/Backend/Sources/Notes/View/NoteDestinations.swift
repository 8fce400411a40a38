import AtriumKit

/// All notes, by pages; its link is `notes`.
struct NoteList: Destination {
    static let pattern: LinkPattern = "notes"

    var page: Int?
    var search: String?
}

/// One note; its link is `notes/42`.
struct NoteDetail: Destination {
    static let pattern: LinkPattern = "notes/:id"

    let id: Int
}
