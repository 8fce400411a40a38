@_spi(Host) internal import AtriumKit

/// How a call gets its answer.
enum Beginning: Sendable {
    /// It is stored, and fresh.
    case stored(HTTPResponse)
    /// Another call of the same person has asked for it already.
    case follow(SharedWork<FlightTable.Outcome>, place: Int, TokenCourse.SignIn)
    /// The server is asked.
    case lead(Lead)
}

/// What who asks the server needs to know.
struct Lead: Sendable {
    /// The request's number among those under way; nil where its answer is for nobody else.
    var flight: Int?
    var cacheKey: CacheKey?
    /// A stored answer that the server may confirm.
    var stored: StoredResponse?
    /// What the first attempt carries.
    var carry: Carry
}

/// What an attempt carries.
struct Carry: Sendable {
    var course: TokenCourse
    var step: Step
    /// The transport; nil where it has to be found.
    var transport: (any HTTPTransport)?

    enum Step: Sendable {
        /// It is sent with this access token.
        case send(String?)
        /// It waits for a renewal first.
        case wait(SharedWork<Void>, place: Int)
    }
}

/// A call's way to its answer: what changes from attempt to attempt.
struct Exchange: Sendable {
    let plan: RequestPlan
    let lead: Lead
    /// When the call began, by the client's uptime.
    let began: Duration
    var carry: Carry
    /// How many attempts were made.
    var attempts = 0

    init(_ plan: RequestPlan, _ lead: Lead, began: Duration) {
        self.plan = plan
        self.lead = lead
        self.began = began
        carry = lead.carry
    }

    /// The request of the next attempt.
    func request(token: String?, remaining: Duration) -> HTTPRequest {
        var request = plan.request
        request.timeLimit = min(plan.attemptLimit, remaining)
        if let token { request.fields.append("Authorization", "Bearer \(token)") }
        if let etag = lead.stored?.etag { request.fields.append("If-None-Match", etag) }
        return request
    }
}
