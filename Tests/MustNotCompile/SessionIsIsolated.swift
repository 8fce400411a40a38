// A session beside the shared one, as only the tests of the host make one.
// error: 'isolated' is inaccessible due to '@_spi' protection level
import AtriumKit

@MainActor func session() -> SessionManager {
    SessionManager.isolated()
}
