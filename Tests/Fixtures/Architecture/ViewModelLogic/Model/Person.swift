struct Person: Sendable {
    static let minimumAge = 18

    var age: Int
    var email: String
    var role: String
    var tags: [String] = []

    func validate() -> [String] { age < Self.minimumAge ? ["Too young."] : [] }
}
