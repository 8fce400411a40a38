import AtriumKit

struct NoteListView: View {
    let viewModel: NoteListViewModel

    var body: Content {
        Title("Notes")
        if let page = viewModel.page {
            Table(page.notes) {
                Column("id") { $0.id }
                Column("title") { $0.title }
                Column("text") { $0.text }
            }
            Summary(
                summary(of: page),
                ["page": viewModel.number, "total": page.total, "more": page.hasNext])
        } else {
            Notice(.information, "You are not signed in.", hint: "notes sign-in --email EMAIL")
        }
    }

    private func summary(of page: NotePage) -> String {
        let count = page.total == 1 ? "1 note" : "\(page.total) notes"
        return "\(count), page \(viewModel.number)" + (page.hasNext ? ", more follow" : "")
    }

    var actions: [Action] {
        Action(
            "list", "List a page of the notes", effect: .reads, loadsFirst: false,
            Argument("page", "The page, from 1", default: 1),
            Argument<String?>("search", "Only notes with this text")
        ) { page, search in
            try await viewModel.list(page: page, search: search)
        }
        Action(
            "create", "Create a note", loadsFirst: false, Argument<String>("title", "Its title"),
            Argument("text", "Its text", default: "")
        ) { title, text in
            try await viewModel.create(title: title, text: text)
        }
        Action(
            "delete", "Delete notes", effect: .destroys, loadsFirst: false,
            Argument<[String]>("ids", "Their ids")
        ) { ids in
            try await viewModel.delete(ids)
        }
        Action(
            "sign-in", "Sign in to the server", loadsFirst: false,
            Argument<String>("email", "The account's address"),
            Argument<String>("password", "The account's password", isSecret: true)
        ) { email, password in
            try await viewModel.signIn(email: email, password: password)
        }
        Action("sign-out", "Sign out of the server", loadsFirst: false) {
            try await viewModel.signOut()
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
