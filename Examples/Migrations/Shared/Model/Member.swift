import AtriumKit

/// A person who signs up, and the rules of each field.
struct Member: Codable, Hashable, Sendable {
    let firstName: String
    let lastName: String
    let age: Int

    /// The rules that the fields break.
    func validate() -> [ValidationFinding] {
        var findings: [ValidationFinding] = []
        if firstName.isEmpty {
            findings.append(ValidationFinding("The first name is missing.", field: "firstName"))
        }
        if lastName.isEmpty {
            findings.append(ValidationFinding("The last name is missing.", field: "lastName"))
        }
        return findings + ValidationFinding.checking("age", age, within: 0...150)
    }
}

extension ServiceError {
    static let minimumAge = ServiceError(
        "minimumAge", "Members are at least 18 years old.", category: .validation)
}
