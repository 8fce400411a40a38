import AtriumKit

/// Invented notes, forgotten when the host ends; everybody is signed in.
actor MockNoteService: NoteService {
    private var notes = (1...12).map {
        Note(id: $0, title: "Note \($0)", text: "", created: Timestamp(microseconds: 0))
    }

    func signIn(email: String, password: String) throws {
        guard password == "correct horse" else { throw ServiceError.wrongPassword() }
    }

    func signOut() {}

    func page(_ number: Int, search: String?) -> NotePage {
        let found = notes.filter { note in
            search.map { note.title.contains($0) || note.text.contains($0) } ?? true
        }
        let offset = number.subtractingClamped(1).multipliedClamped(by: NotePage.size)
        let page = found.dropFirst(max(0, offset))
        return NotePage(
            notes: Array(page.prefix(NotePage.size)), total: found.count, hasNext: page.count > NotePage.size)
    }

    func note(_ id: Int) throws -> Note {
        try notes[index(id)]
    }

    func create(title: String, text: String) throws -> Note {
        let id = (notes.last?.id ?? 0) + 1
        notes.append(Note(id: id, title: title, text: text, created: Timestamp(microseconds: 0)))
        return try note(id)
    }

    func update(_ id: Int, title: String?, text: String?) throws -> Note {
        let index = try index(id)
        notes[index].title = title ?? notes[index].title
        notes[index].text = text ?? notes[index].text
        return notes[index]
    }

    func delete(_ ids: [Int]) throws {
        for id in ids { notes.remove(at: try index(id)) }
    }

    private func index(_ id: Int) throws -> Int {
        guard let index = notes.firstIndex(where: { $0.id == id }) else { throw ServiceError.noSuchNote(id) }
        return index
    }
}
