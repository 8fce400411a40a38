import AtriumKit

/// Shows the step of a sign-up that a person is at.
struct SignUpView: View {
    let viewModel: SignUpViewModel

    var body: Content {
        Title("Sign up")
        FlowHeader(viewModel.flow)
        Field("email", viewModel.email)
        Field("displayName", viewModel.displayName)
        if viewModel.isOutdated {
            notice("Who is signed in has changed; the sign-up begins anew.", "account --email EMAIL")
        } else {
            switch viewModel.step {
            case .account: account
            case .profile: profile
            case .done: notice("Welcome. You are signed up.", "next")
            }
        }
    }

    private var account: Notice {
        viewModel.email == nil
            ? notice("Choose an email and a password for your account.", "account --email EMAIL")
            : notice("You have an account and are signed in.", "next")
    }

    private var profile: Notice {
        if viewModel.lacksProfileForm {
            Notice(
                .warning, SessionError.noProfileForm.message,
                hint: hint(SessionError.noProfileForm.hint ?? ""))
        } else if viewModel.displayName == nil {
            notice("Tell who you are, or leave that for later.", "edit   or   skip")
        } else {
            notice("You have told who you are.", "next")
        }
    }

    private func notice(_ text: String, _ command: String) -> Notice {
        Notice(.information, text, hint: hint(command))
    }

    /// What can be typed: the steps are only kept at the place itself.
    private func hint(_ command: String) -> String {
        viewModel.isCurrent ? command : "open \(SignUpDestination.pattern)"
    }

    var actions: [Action] {
        if viewModel.asksForAccount {
            Action(
                "account", "Creates an account and signs in",
                Argument<String>("email", "The account's address"),
                Argument<String>("password", "At least 8 characters", isSecret: true)
            ) { email, password in
                try await viewModel.signUp(email: email, password: password)
            }
        } else if viewModel.step == .profile {
            Action("edit", "Goes to the form for your profile", effect: .navigates) {
                try await viewModel.editProfile()
            }
        }
        Action("next", "Goes on to the next step; leaves after the last one") {
            try await viewModel.next()
        }
        Action("previous", "Goes back to the step before") {
            try viewModel.previous()
        }
        Action("skip", "Goes on without this step, where it is not needed") {
            try viewModel.skip()
        }
    }

    func load() async throws {
        await viewModel.load()
    }
}
