import AtriumKit

/// Lists and edits the notes of a person, who signs in to their server.
final class NotesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any NoteService).self,
            live: { LiveNoteService(api: $0.api("notes", .notes)) }, local: .unavailable,
            mock: { _ in MockNoteService() })
        registry.repository(NoteRepository.self) { NoteRepository(notes: try $0.service()) }
        registry.viewModel(NoteListViewModel.self) { (context, list: NoteList) in
            NoteListViewModel(list, repository: try context.repository())
        }
        registry.viewModel(NoteViewModel.self) { (context, id: Int) in
            NoteViewModel(id, repository: try context.repository())
        }
        registry.screen(NoteList.self) { NoteListView(viewModel: try $0.viewModel($0.destination)) }
        registry.screen(NoteDetail.self) { NoteView(viewModel: try $0.viewModel($0.destination.id)) }
    }
}
