import AtriumKit

/// Shows the profile of the signed-in person.
struct ProfileView: View {
    let viewModel: ProfileViewModel

    var body: Content {
        Title("Profile")
        Field("firstName", viewModel.profile?.firstName)
        Field("lastName", viewModel.profile?.lastName)
        Field("age", viewModel.profile?.age)
        Field("bio", viewModel.profile?.bio)
        Field("email", viewModel.email)
        Field("complete", viewModel.isComplete)
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: "profile refresh") }
        if viewModel.isOutdated {
            Notice(
                .information, "Who is signed in has changed since this was loaded.", hint: "open profile")
        } else if viewModel.email != nil, !viewModel.isComplete {
            Notice(
                .information, "Your profile is not filled in yet.",
                hint: "profile/edit submit --firstName FIRST --lastName LAST --age AGE")
        }
    }

    var actions: [Action] {
        Action("edit", "Goes to the form for the profile", effect: .navigates) {
            try await viewModel.edit()
        }
        Action(
            "refresh", "Asks for the profile again, whatever was read before", effect: .reads,
            loadsFirst: false
        ) {
            try await viewModel.refresh()
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
