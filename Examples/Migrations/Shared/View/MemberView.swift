import AtriumKit

/// Shows who signed up.
struct MemberView: View {
    let viewModel: MemberViewModel

    var body: Content {
        Title("Member")
        if let member = viewModel.member {
            Field("firstName", member.firstName)
            Field("lastName", member.lastName)
            Field("age", member.age)
        } else {
            Notice(.information, "Nobody signed up yet.", hint: "submit FIRST LAST AGE")
        }
    }

    var actions: [Action] {
        Action(
            "submit", "Sign up", Argument<String>("firstName", "The first name"),
            Argument<String>("lastName", "The last name"), Argument<Int>("age", "The age in years")
        ) { firstName, lastName, age in
            try await viewModel.submit(Member(firstName: firstName, lastName: lastName, age: age))
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
