import AtriumKit

struct UserListView: View {
    let viewModel: UserListViewModel

    var body: Content {
        Title("Users")
        Table(viewModel.rows) {
            Column("id") { $0.id }
            Column("name") { $0.name }
            Column("email") { $0.email }
            Column("status") { $0.status.rawValue }
        }
        UserListSummary(
            query: viewModel.query, total: viewModel.total, pageCount: viewModel.pageCount,
            hasMore: viewModel.hasMore,
            isShown: !viewModel.rows.isEmpty)
        if let asOf = viewModel.asOf {
            StaleNotice(asOf: asOf, hint: viewModel.link(to: viewModel.query.page))
        }
        notice
    }

    @ContentBuilder private var notice: Content {
        if viewModel.isOutdated {
            Notice(
                .information, "Who is signed in has changed since this was loaded.", hint: "users")
        } else {
            switch viewModel.state {
            case .loading: Notice(.information, "Loading.")
            case .failed(let failure): Notice(.problem, failure.message, hint: failure.hint)
            case .empty, .content:
                if viewModel.rows.isEmpty { noRows }
            }
        }
    }

    private var noRows: Notice {
        if let end = viewModel.end {
            return Notice(.information, "The list ends with page \(end).", hint: viewModel.link(to: end))
        }
        return viewModel.query.filter == .all
            ? Notice(.information, "The directory is empty.", hint: "profile/edit")
            : Notice(.information, "No user matches.", hint: "users list")
    }

    var actions: [Action] {
        Action(
            "list", "Show another list", effect: .reads,
            loadsFirst: false,
            Argument<String?>("search", "Only with this text in name or address, in any case"),
            Argument<UserStatus?>("status", "Only people of this status"),
            Argument<UserSort>("sort", "The order", default: .name),
            Argument<Int>("page", "The page, from 1", default: 1)
        ) { search, status, sort, page in
            try await viewModel.list(
                UserListDestination(search: search, status: status, sort: sort, page: page))
        }
        Action("next", "Show the next page", effect: .reads) { try await viewModel.next() }
        Action("previous", "Show the previous page", effect: .reads) { try await viewModel.previous() }
        Action(
            "profiles", "Show the profiles of several people", effect: .reads,
            loadsFirst: false, Argument<[String]>("ids", "Their ids, one by one or with commas")
        ) { ids in
            .content(ProfileTable(rows: try await viewModel.profiles(of: ids)).body)
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}

struct ProfileTable: View {
    let rows: [ProfileRow]

    var body: Content {
        Title("Profiles")
        Table(rows) {
            Column("id") { $0.id }
            Column("name") { $0.name }
            Column("age") { $0.age }
            Column("outcome") { $0.outcome }
            Column("problem", isHidden: true) { $0.problem }
        }
        for row in rows {
            if let problem = row.problem { Notice(.problem, "\(row.id): \(problem)") }
        }
    }
}

extension UserStatus: ArgumentValue {}
extension UserSort: ArgumentValue {}

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
