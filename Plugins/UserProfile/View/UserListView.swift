import AtriumKit

struct ProfileTable: View {
    let rows: [ProfileRow]

    /// The action that the module adds to the list of users.
    static func action(_ viewModel: ProfilesViewModel) -> Action {
        Action(
            "profiles", "Show the profiles of several users", effect: .reads, loadsFirst: false,
            Argument<[String]>(
                "ids", "The ids, separated by spaces or commas; default: the users found", default: []),
            Argument<String?>("search", "Only with this text in name or email, in any case"),
            Argument<UserStatus?>("status", "Only with this status")
        ) { .content(ProfileTable(rows: try await viewModel.profiles(of: $0, search: $1, status: $2)).body) }
    }

    var body: Content {
        Title("Profiles")
        Table(rows) {
            Column("id") { $0.id }
            Column("name") { $0.name }
            Column("age") { $0.profile?.age }
            Column("outcome") { $0.outcome }
            Column("problem", isHidden: true) { $0.problem }
        }
        for row in rows {
            if let problem = row.problem { Notice(.problem, "\(row.id): \(problem)") }
        }
    }
}

struct UserView: View {
    let viewModel: UserViewModel

    var body: Content {
        let person = viewModel.person
        Title(person?.user.name ?? "User")
        Field("id", person?.user.id)
        Field("email", person?.user.email)
        Field("status", person?.user.status)
        RecordDraftView(RecordDraft(person?.profile ?? Profile()))
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: viewModel.link) }
        OutdatedNotice(viewModel.isOutdated, hint: "open users")
        if let person, person.profile == nil {
            Notice(.information, "\(person.user.name) has not filled in a profile.")
        }
    }

    func load() async throws { try await viewModel.load() }
}
