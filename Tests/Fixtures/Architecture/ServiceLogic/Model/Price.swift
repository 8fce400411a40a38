struct Price: Sendable {
    static let highest = 9_999

    let cents: Int
    var seller = ""

    func validate() -> [String] {
        cents < 0 ? ["A price is at least 0."] : []
    }
}
