import AtriumKit
import Observation

/// One person of the directory.
@MainActor
@Observable
final class UserViewModel: ViewModel {
    private let id: String
    private let directory: UserDirectoryRepository
    private let session: SessionState
    /// What was loaded, and for whom; nil before ``load()``.
    private var loaded: (person: Stale<Person>, reader: String?)?

    init(id: String, directory: UserDirectoryRepository, session: SessionState) {
        self.id = id
        self.directory = directory
        self.session = session
    }

    /// The person; nil before ``load()``, and where it was loaded for somebody else.
    var person: Person? { shown?.value }

    /// When the person was last seen in the directory, where that can't be asked now.
    var asOf: Timestamp? { shown?.asOf }

    /// What heads the screen.
    var title: String { person?.user.name ?? "User" }

    /// The link of the screen.
    var link: String { "users/\(id)" }

    /// Whether what was loaded is not for whoever is signed in now, and therefore not shown.
    var isOutdated: Bool { loaded.map { $0.reader != session.user?.id } ?? false }

    private var shown: Stale<Person>? { isOutdated ? nil : loaded?.person }

    /// Brings the person and their profile up to date.
    ///
    /// - Throws: ``DirectoryError/notFound(_:)``; ``AuthenticationError``, what was loaded is then forgotten.
    func load() async throws {
        let reader = session.user?.id
        do {
            loaded = (try await directory.person(id), reader)
        } catch let error as AuthenticationError {
            loaded = nil
            throw error
        }
    }
}
