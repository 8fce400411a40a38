import AtriumKit
import Observation

/// Signing up, step by step: an account, a profile, a welcome.
///
/// The profile is filled in on a screen of another module, known only by its link. The saved state holds the
/// step and the account, but no input.
@MainActor
@Observable
final class SignUpViewModel: ViewModel {
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
    var isCurrent: Bool { session.isCurrent(SignUpDestination()) }
    var isOutdated: Bool { step != .account && (account == nil || account != session.user?.id) }
    var asksForAccount: Bool { step == .account || isOutdated }

    private func gate(of step: SignUpStep) -> FlowGate {
        let session = session
        return switch step {
        case .account:
            .requirement { guard session.isSignedIn else { throw ServiceError.accountNeeded } }
        case .profile:
            .requirement { guard session.user?.displayName != nil else { throw ServiceError.profileNeeded } }
        case .done: .open
        }
    }

    // MARK: - Loading

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

    func signUp(email: String, password: String) async throws -> ActionResult {
        let credentials = Credentials(email: email, password: password)
        try ValidationError.check(credentials.validate())
        try await repository.signUp(credentials)
        flow.startOver()
        await advance()
        return .updated("Signed up and signed in as \(email).")
    }

    /// Opens the form for profiles; submitting it completes the step.
    func editProfile() async throws -> ActionResult {
        try requireSamePerson()
        do {
            try await navigator.open(SignUpFlow.profileForm)
        } catch let error as any ExplainedError where error.code == "unknownLink" {
            lacksProfileForm = true
            throw ServiceError.noProfileForm
        }
        lacksProfileForm = false
        return .updated
    }

    func next() async throws -> ActionResult {
        try requireSamePerson()
        try await flow.next()
        noteAccount()
        guard flow.isFinished else { return updated }
        let name = displayName ?? email
        return .leave("Welcome" + (name.map { ", \($0)" } ?? "") + ".", showing: SessionDestination())
    }

    func previous() throws -> ActionResult {
        try requireSamePerson()
        try flow.back()
        noteAccount()
        return updated
    }

    func skip() throws -> ActionResult {
        try requireSamePerson()
        try flow.skip()
        noteAccount()
        return updated
    }

    private var updated: ActionResult { .updated(flow.progress.displayText + ".") }

    /// Starts again if another user is signed in.
    private func requireSamePerson() throws {
        repository.endIfExpired()
        guard isOutdated else { return }
        flow.startOver()
        noteAccount()
        throw ServiceError.personChanged
    }
}

extension SignUpViewModel {
    /// The state of the stack entry; never a password.
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
