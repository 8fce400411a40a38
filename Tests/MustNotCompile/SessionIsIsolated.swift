// An isolated session, which only tests of the host may create.
// error: 'isolated' is inaccessible due to '@_spi' protection level
import AtriumKit

@MainActor func session() -> SessionManager {
    SessionManager.isolated()
}
