import AtriumKit

/// Lists people, a page at a time.
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
        Field("page", viewModel.query.page)
        Field("total", viewModel.total)
        Field("hasMore", label: "More", viewModel.hasMore)
        Field("sort", viewModel.query.sort.rawValue)
        if let search = viewModel.query.filter.search { Field("search", search) }
        if let status = viewModel.query.filter.status { Field("status", status.rawValue) }
        if let asOf = viewModel.asOf {
            StaleNotice(asOf: asOf, hint: viewModel.link(to: viewModel.query.page))
        }
        notice
    }

    @ContentBuilder private var notice: Content {
        if viewModel.isOutdated {
            Notice(
                .information, "Who is signed in has changed since this was loaded.", hint: "open users")
        } else {
            switch viewModel.state {
            case .loading: Notice(.information, "Loading.")
            case .failed(let failure): Notice(.problem, failure.message, hint: failure.hint)
            case .empty, .content:
                if viewModel.rows.isEmpty { nobody }
            }
        }
    }

    private var nobody: Notice {
        if let end = viewModel.end {
            return Notice(.information, "The list ends with page \(end).", hint: viewModel.link(to: end))
        }
        return viewModel.query.filter == .all
            ? Notice(.information, "Nobody is in the directory yet.", hint: "profile/edit")
            : Notice(.information, "Nobody in the directory is like that.", hint: "users list")
    }

    var actions: [Action] {
        Action(
            "list", "Lists other people; what is not given has its default", effect: .reads,
            loadsFirst: false,
            Argument<String?>("search", "Only with this text in name or address, in any case"),
            Argument<UserStatus?>("status", "Only these"),
            Argument<UserSort>("sort", "The order", default: .name),
            Argument<Int>("page", "The page, from 1", default: 1)
        ) { search, status, sort, page in
            try await viewModel.list(
                UserListDestination(search: search, status: status, sort: sort, page: page))
        }
        Action("next", "Shows the next page", effect: .reads) { try await viewModel.next() }
        Action("previous", "Shows the page before", effect: .reads) { try await viewModel.previous() }
        Action(
            "profiles", "Shows the profiles of several people, in this order", effect: .reads,
            loadsFirst: false, Argument<[String]>("ids", "Their ids, one by one or with commas")
        ) { ids in
            .content(ProfileTable(rows: try await viewModel.profiles(of: ids)).body)
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}

/// Profiles of several people, with what became of each.
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
