// Code outside of a repository that writes the shared session and reads its token.
// error: cannot assign to property: 'user' setter is inaccessible
// error: 'credential' is inaccessible due to 'internal' protection level
// error: 'set' is inaccessible due to 'internal' protection level
import AtriumKit

@MainActor func signOut() {
    SessionManager.shared.user = nil
    SessionManager.shared.credential = nil
    SessionManager.shared.set(user: nil, credential: nil)
}
