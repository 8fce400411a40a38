import AtriumKit

/// A field of the form, by the name that users type.
enum BookingField: String, CaseIterable, Hashable, Sendable {
    case name, email, seats, seating
}

/// The values that users fill in; texts lose surrounding white space.
struct BookingDraft: Codable, Hashable, Sendable {
    static let seatNumbers = 1...8

    private(set) var name = ""
    private(set) var email = ""
    private(set) var seats = 1
    private(set) var seating = Seating.anywhere

    func text(of field: BookingField) -> String? {
        switch field {
        case .name: name.nilIfEmpty
        case .email: email.nilIfEmpty
        case .seats: "\(seats)"
        case .seating: seating.rawValue
        }
    }

    /// Sets a field to typed text.
    ///
    /// - Throws: ``ValidationError`` if the text can't be its value; the draft stays as it is.
    mutating func set(_ field: BookingField, to text: String) throws {
        let text = text.trimmed
        var changed = self
        switch field {
        case .name: changed.name = text
        case .email: changed.email = text
        case .seats:
            guard let seats = Int(text) else {
                throw Self.mistake("The seats must be a whole number, not '\(text.excerpt)'.", in: field)
            }
            changed.seats = seats
        case .seating:
            guard let seating = Seating(rawValue: text.lowercased()) else {
                let names = Seating.allCases.map(\.rawValue).joined(separator: ", ")
                throw Self.mistake("The seating must be one of \(names), not '\(text.excerpt)'.", in: field)
            }
            changed.seating = seating
        }
        try ValidationError.check(changed.findings(in: field))
        self = changed
    }

    /// Returns every broken rule, field by field.
    func validate() -> [ValidationFinding] {
        BookingField.allCases.flatMap(findings)
    }

    private func findings(in field: BookingField) -> [ValidationFinding] {
        switch field {
        case .name:
            TextRule(subject: "The name", maximum: 100).problems(of: name).map {
                ValidationFinding($0, field: field.rawValue)
            }
        case .email: emailProblems.map { ValidationFinding($0, field: field.rawValue) }
        case .seats: ValidationFinding.checking(field.rawValue, seats, within: Self.seatNumbers)
        case .seating: []
        }
    }

    private var emailProblems: [String] {
        let problems = TextRule(subject: "The email", maximum: 254).problems(of: email)
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        guard problems.isEmpty, parts.count != 2 || parts.contains("") || email.contains(" ") else {
            return problems
        }
        return ["'\(email)' is not an email address."]
    }

    private static func mistake(_ message: String, in field: BookingField) -> ValidationError {
        ValidationError(findings: [ValidationFinding(message, field: field.rawValue)])
    }
}
