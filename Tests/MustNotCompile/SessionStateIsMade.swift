// A session state created by a module.
// error: 'SessionState' initializer is inaccessible due to '@_spi' protection level
import AtriumKit

@MainActor func user(_ state: SessionState) -> SessionUser? {
    SessionState(SessionManager.shared).user
}
