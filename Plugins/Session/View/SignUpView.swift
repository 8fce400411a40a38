import AtriumKit

struct SignUpView: View {
    let viewModel: SignUpViewModel

    var body: Content {
        Title("Sign up")
        FlowHeader(viewModel.flow)
        Field("email", viewModel.email)
        Field("displayName", viewModel.displayName)
        if viewModel.isOutdated {
            notice("Another person is signed in now; the sign-up starts again.", "account --email EMAIL")
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
                .warning, ServiceError.noProfileForm.message,
                hint: hint(ServiceError.noProfileForm.hint ?? ""))
        } else if viewModel.displayName == nil {
            notice("Fill in your profile, or do it later.", "edit   or   skip")
        } else {
            notice("Your profile is filled in.", "next")
        }
    }

    private func notice(_ text: String, _ command: String) -> Notice {
        Notice(.information, text, hint: hint(command))
    }

    /// The steps last only while the screen is on the stack.
    private func hint(_ command: String) -> String {
        viewModel.isCurrent ? command : "open \(SignUpDestination.pattern)"
    }

    var actions: [Action] {
        if viewModel.asksForAccount {
            Action(
                "account", "Create an account and sign in",
                Argument<String>("email", "The account's address"),
                Argument<String>("password", "At least 8 characters", isSecret: true).askedTwice()
            ) { email, password in
                try await viewModel.signUp(email: email, password: password)
            }
        } else if viewModel.step == .profile {
            Action("edit", "Open the form for your profile", effect: .navigates) {
                try await viewModel.editProfile()
            }
        }
        Action("next", "Go to the next step, or leave after the last one") {
            try await viewModel.next()
        }
        Action("previous", "Go back to the previous step") {
            try viewModel.previous()
        }
        Action("skip", "Skip this step") {
            try viewModel.skip()
        }
    }

    func load() async throws {
        await viewModel.load()
    }
}
