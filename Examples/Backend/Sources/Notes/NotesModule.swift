import AtriumKit

/// Lists and edits the notes of a person, who signs in to their server.
final class NotesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any NoteService).self,
            live: { LiveNoteService(api: $0.api("notes", .notes)) }, local: .unavailable,
            mock: { _ in MockNoteService() })
        registry.repository(NoteRepository.self) { NoteRepository(notes: try $0.service()) }
        registry.screen(NoteList.self) { context, list in
            NoteListViewModel(list, repository: try context.repository())
        } view: {
            NoteListView(viewModel: $0)
        }
        registry.screen(NoteDetail.self) { context, note in
            NoteViewModel(note.id, repository: try context.repository())
        } view: {
            NoteView(viewModel: $0)
        }
    }
}
