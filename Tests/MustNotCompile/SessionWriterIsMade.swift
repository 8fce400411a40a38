// A session writer created by a module.
// error: 'SessionWriter' initializer is inaccessible due to '@_spi' protection level
import AtriumKit

@MainActor func signOut(_ writer: SessionWriter) {
    SessionWriter(SessionManager.shared).signOut()
}
