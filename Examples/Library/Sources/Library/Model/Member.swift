import AtriumKit

/// A person who borrows books.
struct Member: Record {
    var id = 0
    var name = ""
    var email: String?
    var born: Day?
    var notes: String?

    static let link = "library/members"

    static let fields: Fields<Member> = [
        RecordField("name", "The full name", \.name, .length(1...100), .searched, .sorted),
        RecordField("email", "Where reminders go", \.email, .email, .unique, .searched),
        RecordField("born", "The day of birth", \.born, .sorted),
        RecordField("notes", "What else to know", \.notes, .lines(0...1_000)),
    ]
}
