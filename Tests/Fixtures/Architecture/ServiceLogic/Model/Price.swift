struct Price: Sendable {
    let cents: Int

    func validate() -> [String] {
        cents < 0 ? ["A price is at least 0."] : []
    }
}
