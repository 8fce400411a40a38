// A second session manager.
// error: 'SessionManager' initializer is inaccessible due to 'private' protection level
import AtriumKit

@MainActor let second = SessionManager()
