/// Why a text is no key or no signature of minisign, as what follows a colon.
struct MinisignProblem: Error, Hashable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
