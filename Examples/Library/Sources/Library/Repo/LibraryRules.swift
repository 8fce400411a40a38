import AtriumKit

extension RecordRules<Loan> {
    /// A book is lent to one member at a time, and a member has three at most; the return sets the fine.
    @MainActor
    static func loans(_ context: borrowing RepositoryContext) throws -> RecordRules {
        let loans: any RecordService<Loan> = try context.service()
        let books: any RecordService<Book> = try context.service()
        let members: any RecordService<Member> = try context.service()
        let clock = context.clock
        func lent(_ loan: Loan) async -> ServiceError {
            let (book, member) = (await books.name(loan.book), await members.name(loan.member))
            return ServiceError(
                "isLent", "'\(book)' is lent to \(member).", hint: "\(Loan.link)/\(loan.id) return")
        }
        return RecordRules {
            $0.beforeCreate = { loan in
                if loan.status != .open { throw ServiceError("notOpen", "A new loan is open.") }
                if let other = try await loans.page(.open("book", loan.book)).rows.first {
                    throw await lent(other)
                }
                if try await loans.page(.open("member", loan.member)).total >= Loan.limit {
                    throw ServiceError(
                        "tooManyLoans", "\(await members.name(loan.member)) has \(Loan.limit) books already.",
                        hint: "\(Loan.link) list --status open --member \(loan.member)")
                }
                let today = Day(clock.now())
                (loan.lent, loan.due) = (today, loan.due ?? today.adding(days: Loan.days))
                try loan.checkDue()
            }
            $0.beforeUpdate = { loan, former in
                if former.status == .returned { throw ServiceError.ended(former) }
                if (loan.book, loan.member) != (former.book, former.member) {
                    throw ServiceError("moved", "A loan stays with its book and its member.")
                }
                try loan.checkDue()
                guard loan.status == .returned else { return }
                let today = Day(clock.now())
                (loan.fine, loan.returned) = (loan.fine(on: today), today)
            }
            $0.beforeDelete = { if $0.status == .open { throw await lent($0) } }
        }
    }
}

extension ServiceError {
    static func ended(_ loan: Loan) -> ServiceError { ServiceError("ended", "Loan \(loan.id) has ended.") }
}

extension RecordService {
    /// The name of a record; its number if a server or another program has deleted it.
    func name(_ id: Item.ID) async -> String {
        (try? await record(id))?.recordName ?? "\(Item.noun.singular) \(id)"
    }
}

extension RecordQuery<Loan> {
    /// The open loans of a book or a member.
    static func open(_ field: String, _ id: Int) -> RecordQuery {
        RecordQuery(filters: ["status": LoanStatus.open.rawValue, field: "\(id)"])
    }
}

extension Loan {
    fileprivate func checkDue() throws {
        guard let due, let lent, due < lent else { return }
        throw ValidationError(findings: [
            ValidationFinding("The due day must not be before \(lent), not \(due).", field: "due")
        ])
    }
}
