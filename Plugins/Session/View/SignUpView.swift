import AtriumKit

/// Sign up, step by step.
struct SignUpDestination: Destination {
    static let pattern: LinkPattern = "session/sign-up"
}

struct SignUpView: View {
    let viewModel: SignUpViewModel

    var body: Content {
        Title("Sign up")
        FlowHeader(viewModel.flow)
        Field("email", viewModel.email)
        Field("displayName", viewModel.displayName)
        switch viewModel.step {
        case _ where viewModel.isOutdated:
            notice("Another person is signed in now; the sign-up starts again.", "account --email EMAIL")
        case .account where viewModel.email == nil:
            notice("Choose an email and a password for your account.", "account --email EMAIL")
        case .account: notice("You have an account and are signed in.", "next")
        case .profile where viewModel.lacksProfileForm:
            notice(ServiceError.noProfileForm.message, "skip", .warning)
        case .profile where viewModel.displayName == nil:
            notice("Fill in your profile, or do it later.", "edit   or   skip")
        case .profile: notice("Your profile is filled in.", "next")
        case .done: notice("Welcome. You are signed up.", "next")
        }
    }

    /// A message with a command; the steps last only while the screen is on the stack.
    private func notice(_ text: String, _ command: String, _ kind: Notice.Kind = .information) -> Notice {
        Notice(kind, text, hint: viewModel.isCurrent ? command : "open \(SignUpDestination.pattern)")
    }

    var actions: [Action] {
        if viewModel.asksForAccount {
            Action(
                "account", "Create an account and sign in", CredentialArguments.email,
                CredentialArguments.newPassword, perform: viewModel.signUp)
        } else if viewModel.step == .profile {
            Action(
                "edit", "Open the form for your profile", effect: .navigates, perform: viewModel.editProfile)
        }
        Action("next", "Go to the next step, or leave after the last one", perform: viewModel.next)
        Action("previous", "Go back to the previous step", perform: viewModel.previous)
        Action("skip", "Skip this step", perform: viewModel.skip)
    }

    func load() async throws { await viewModel.load() }
}
