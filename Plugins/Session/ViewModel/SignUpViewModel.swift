import AtriumKit
import Observation

/// Signing up, step by step: an account, a profile, a welcome.
///
/// The profile is filled in at a screen of another module, which is only known by its link. Nothing that was
/// typed is kept but how far the person has come, and for which account.
@MainActor
@Observable
final class SignUpViewModel: ViewModel {
    /// Whether nobody had the form for profiles when it was wanted last.
    private(set) var lacksProfileForm = false
    /// The account for which the first step was passed; nil at the first step.
    private var account: String?

    private let repository: SessionRepository
    private let session: SessionState
    private let navigator: any Navigator

    @ObservationIgnored
    private(set) lazy var flow = FlowModel<SignUpStep>(SignUpFlow.name, of: self) { model, step in
        model.gate(of: step)
    }

    init(repository: SessionRepository, session: SessionState, navigator: any Navigator) {
        self.repository = repository
        self.session = session
        self.navigator = navigator
    }

    var step: SignUpStep { flow.currentStep }
    var email: String? { session.user?.email }
    var displayName: String? { session.user?.displayName }

    /// Whether a person is at this place, not only looking at it from elsewhere.
    var isCurrent: Bool { session.isCurrent(SignUpDestination()) }

    /// Whether the steps were passed for somebody who is not signed in any more.
    var isOutdated: Bool { step != .account && (account == nil || account != session.user?.id) }

    /// Whether an account can be created now.
    var asksForAccount: Bool { step == .account || isOutdated }

    private func gate(of step: SignUpStep) -> FlowGate {
        let session = session
        return switch step {
        case .account:
            .requirement { guard session.isSignedIn else { throw SessionError.accountNeeded } }
        case .profile:
            .requirement { guard session.user?.displayName != nil else { throw SessionError.profileNeeded } }
        case .done: .open
        }
    }

    // MARK: - Loading

    /// Goes on over what was done elsewhere meanwhile; begins anew for another person.
    func load() async {
        repository.endIfExpired()
        lacksProfileForm = false
        if flow.isFinished || isOutdated { flow.startOver() }
        await advance()
    }

    private func advance() async {
        await flow.advancePastOpenGates()
        noteAccount()
    }

    private func noteAccount() {
        account = step == .account ? nil : session.user?.id
    }

    // MARK: - Steps

    /// Creates an account and signs in, in place of whoever is signed in; goes on to the next step.
    ///
    /// - Throws: ``ValidationError`` with everything that is wrong with the credentials, before anything
    ///   is asked; ``SessionError/emailTaken(_:)``. The flow stays where it is.
    func signUp(email: String, password: String) async throws -> ActionResult {
        let credentials = Credentials(email: email, password: password)
        try credentials.requireValid()
        try await repository.signUp(credentials)
        flow.startOver()
        await advance()
        return .updated("Signed up and signed in as \(email).")
    }

    /// Goes to the form for profiles; what is submitted there does the step.
    ///
    /// - Throws: ``SessionError/noProfileForm`` where no module has it.
    func editProfile() async throws -> ActionResult {
        try requireSamePerson()
        do {
            try await navigator.open(SignUpFlow.profileForm)
        } catch let error as any ExplainedError where error.code == .unknownLink {
            lacksProfileForm = true
            throw SessionError.noProfileForm
        }
        lacksProfileForm = false
        return .updated
    }

    /// Goes on to the next step; after the last one, leaves.
    ///
    /// - Throws: ``SessionError`` saying what the step asks for; ``FlowError``.
    func next() async throws -> ActionResult {
        try requireSamePerson()
        try await flow.next()
        noteAccount()
        guard flow.isFinished else { return told }
        let name = displayName ?? email
        return .leave("Welcome" + (name.map { ", \($0)" } ?? "") + ".", showing: SessionDestination())
    }

    /// Goes back to the step before.
    ///
    /// - Throws: ``FlowError`` at the first step.
    func previous() throws -> ActionResult {
        try requireSamePerson()
        try flow.back()
        noteAccount()
        return told
    }

    /// Goes on without the profile.
    ///
    /// - Throws: ``FlowError`` at a step that is needed.
    func skip() throws -> ActionResult {
        try requireSamePerson()
        try flow.skip()
        noteAccount()
        return told
    }

    private var told: ActionResult { .updated(flow.progress.displayText + ".") }

    /// Begins anew where the person has changed, so that nobody goes on with another one's steps.
    private func requireSamePerson() throws {
        repository.endIfExpired()
        guard isOutdated else { return }
        flow.startOver()
        noteAccount()
        throw SessionError.personChanged
    }
}

extension SignUpViewModel {
    /// What is kept with the stack entry; never a password.
    struct SavedState: Codable, Hashable, Sendable {
        let account: String?
        let flow: FlowState<SignUpStep>
    }

    var savedState: SavedState { SavedState(account: account, flow: flow.savedState) }

    func restore(_ state: SavedState) {
        account = state.account
        flow.restore(state.flow)
    }
}
