import AtriumKit

/// The sessions of a person, the newest first.
struct SessionTable: View {
    let records: [SessionRecord]

    var body: Content {
        Title("Sessions")
        Table(records) {
            Column("id") { $0.id }
            Column("createdAt", label: "Signed in") { $0.createdAt }
            Column("lastUsedAt", label: "Last used") { $0.lastUsedAt }
            Column("isCurrent", label: "This one") { $0.isCurrent }
        }
    }
}

/// Who is told of changes of the session, by type.
struct ObserverTable: View {
    let names: [String]

    var body: Content {
        Title("Observers")
        Table(names) {
            Column("observer") { $0 }
        }
        if names.isEmpty { Notice(.information, "Nobody is told of changes of the session.") }
    }
}
