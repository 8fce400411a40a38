import AtriumKit

// The records of environment mock. Loans refer to books and members by their places here, from 1.

extension Book {
    static let samples = [
        Book(title: "Dune", author: "Frank Herbert", isbn: "9780441172719", shelf: "A1"),
        Book(title: "Solaris", author: "Stanisław Lem", shelf: "A2", price: Money(hundredths: 1_250)),
        Book(title: "The Dispossessed", author: "Ursula K. Le Guin", isbn: "9780061054884", shelf: "A2"),
        Book(title: "Ubik", author: "Philip K. Dick", shelf: "B1", price: Money(hundredths: 999)),
        Book(title: "Kindred", author: "Octavia E. Butler", price: Money(hundredths: 1_500)),
    ]
}

extension Member {
    static let samples = [
        Member(name: "Ada Lovelace", email: "ada@example.com", born: Day("1815-12-10")),
        Member(name: "Grace Hopper", email: "grace@example.com", born: Day("1906-12-09")),
        Member(name: "Alan Turing"),
    ]
}

extension Loan {
    static let samples = [
        Loan(book: 1, member: 1, lent: Day("2025-12-01"), due: Day("2025-12-15")),
        Loan(
            book: 2, member: 1, status: .returned, lent: Day("2025-11-01"), due: Day("2025-11-15"),
            returned: Day("2025-11-18"), fine: Money(hundredths: 150)),
        Loan(book: 2, member: 2, lent: Day("2025-12-28"), due: Day("9999-01-11")),
    ]
}
