import AtriumKit

struct NoteView: View {
    let viewModel: NoteViewModel

    var body: Content {
        if let note = viewModel.note {
            Title(note.title)
            Field("id", note.id)
            Field("title", note.title)
            Field("text", note.text)
            Field("created", note.created)
        }
    }

    var actions: [Action] {
        Action(
            "edit", "Change the note", Argument<String?>("title", "A new title"),
            Argument<String?>("text", "A new text")
        ) { title, text in
            try await viewModel.edit(title: title, text: text)
        }
        Action("delete", "Delete the note", effect: .destroys) { try await viewModel.delete() }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
