// A view model that writes the session or reads its token.
// error: value of type 'SessionState' has no member 'signIn'
// error: value of type 'SessionState' has no member 'update'
// error: value of type 'SessionState' has no member 'credential'
// error: cannot convert value of type 'SessionState' to specified type 'SessionWriter'
import AtriumKit

@MainActor func make(_ context: borrowing ViewModelContext, token: SessionCredential) {
    let user = SessionUser(id: "1", email: "a@example.org")
    _ = (user, token)
    context.session.signIn(user, credential: token)
    context.session.update(user)
    _ = context.session.credential
    let writer: SessionWriter = context.session
    _ = writer
}
