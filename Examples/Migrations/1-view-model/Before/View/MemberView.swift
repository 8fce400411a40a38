import AtriumKit

/// Shows who signed up.
///
/// The fault: it calls the repository itself, so that field rules and messages are in the view.
struct MemberView: View {
    let repository: MemberRepository

    var body: Content {
        Title("Member")
        if let member = repository.latest {
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
            let member = Member(firstName: firstName, lastName: lastName, age: age)
            try ValidationError.check(member.validate())
            try await repository.submit(member)
            return .updated("Submitted \(firstName) \(lastName).")
        }
    }
}
