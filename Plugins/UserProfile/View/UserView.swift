import AtriumKit

/// Shows one person of the directory.
struct UserView: View {
    let viewModel: UserViewModel

    var body: Content {
        Title(viewModel.title)
        Field("id", viewModel.person?.user.id)
        Field("email", viewModel.person?.user.email)
        Field("status", viewModel.person?.user.status.rawValue)
        Field("firstName", viewModel.person?.profile?.firstName)
        Field("lastName", viewModel.person?.profile?.lastName)
        Field("age", viewModel.person?.profile?.age)
        Field("bio", viewModel.person?.profile?.bio)
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: viewModel.link) }
        if viewModel.isOutdated {
            Notice(
                .information, "Who is signed in has changed since this was loaded.", hint: "open users")
        } else if let person = viewModel.person, person.profile == nil {
            Notice(.information, "\(person.user.name) has not filled in a profile.")
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
