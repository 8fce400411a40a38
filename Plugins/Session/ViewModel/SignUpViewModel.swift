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
    /// The account for which the flow moved last; its first step has none.
    private var account: String?

    private let repository: SessionRepository
    private let session: SessionState
    private let navigator: any Navigator

    @ObservationIgnored
    private(set) lazy var flow = FlowModel<SignUpStep>("Sign up", of: self) { model, step in
        let session = model.session
        return switch step {
        case .account:
            .requirement { guard session.isSignedIn else { throw ServiceError.accountNeeded } }
        case .profile:
            .requirement { guard session.user?.displayName != nil else { throw ServiceError.profileNeeded } }
        case .done: .open
        }
    }

    init(repository: SessionRepository, session: SessionState, navigator: any Navigator) {
        (self.repository, self.session, self.navigator) = (repository, session, navigator)
    }

    var step: SignUpStep { flow.currentStep }
    var email: String? { session.user?.email }
    var displayName: String? { session.user?.displayName }
    var isCurrent: Bool { session.isCurrent(SignUpDestination()) }
    var isOutdated: Bool { step != .account && (account == nil || account != session.user?.id) }
    var asksForAccount: Bool { step == .account || isOutdated }

    func load() async {
        repository.endIfExpired()
        lacksProfileForm = false
        if flow.isFinished || isOutdated { flow.startOver() }
        await advance()
    }

    private func advance() async {
        await flow.advancePastOpenGates()
        account = session.user?.id
    }

    func signUp(email: String, password: String) async throws -> ActionResult {
        try await repository.signUp(Credentials(email: email, password: password))
        flow.startOver()
        await advance()
        return .updated("Signed up and signed in as \(email).")
    }

    /// Opens the form for profiles; submitting it completes the step.
    func editProfile() async throws -> ActionResult {
        try requireSamePerson()
        do {
            try await navigator.open(SignUpStep.profileForm)
        } catch let error as any ExplainedError where error.code == "unknownLink" {
            lacksProfileForm = true
            throw ServiceError.noProfileForm
        }
        return .updated
    }

    func next() async throws -> ActionResult {
        let moved = try await move { try await flow.next() }
        guard flow.isFinished else { return moved }
        let name = (displayName ?? email).map { ", \($0)" } ?? ""
        return .leave("Welcome\(name).", showing: SessionDestination())
    }

    func previous() async throws -> ActionResult { try await move { try flow.back() } }
    func skip() async throws -> ActionResult { try await move { try flow.skip() } }

    private func move(_ move: () async throws -> Void) async throws -> ActionResult {
        try requireSamePerson()
        try await move()
        account = session.user?.id
        return .updated(flow.progress.displayText + ".")
    }

    /// Starts again if another user is signed in.
    private func requireSamePerson() throws {
        repository.endIfExpired()
        guard isOutdated else { return }
        flow.startOver()
        throw ServiceError.personChanged
    }

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
