@_spi(Host) internal import AtriumKit

/// How a call gets its answer.
enum Beginning: Sendable {
    /// It is stored, and fresh.
    indirect case stored(HTTPResponse)
    /// Another call of the same person has asked for it already.
    case follow(Promise<FlightTable.Outcome>, place: Int, TokenCourse.SignIn)
    /// The server is asked.
    case lead(Lead)
}

/// What who asks the server needs to know.
///
/// A class for the same reason as ``RequestPlan``.
final class Lead: Sendable {
    /// The request's number among those under way; nil where its answer is for nobody else.
    let flight: Int?
    let cacheKey: CacheKey?
    /// A stored answer that the server may confirm.
    let stored: StoredResponse?
    /// What the first attempt carries.
    let carry: Carry

    init(flight: Int? = nil, cacheKey: CacheKey? = nil, stored: StoredResponse? = nil, carry: Carry) {
        self.flight = flight
        self.cacheKey = cacheKey
        self.stored = stored
        self.carry = carry
    }
}

/// What an attempt carries.
///
/// A class for the same reason as ``RequestPlan``.
final class Carry: Sendable {
    let course: TokenCourse
    let step: Step
    /// The transport; nil where it has to be found.
    let transport: (any HTTPTransport)?

    init(course: TokenCourse, step: Step, transport: (any HTTPTransport)?) {
        self.course = course
        self.step = step
        self.transport = transport
    }

    enum Step: Sendable {
        /// It is sent with this access token.
        case send(String?)
        /// It waits for a renewal first.
        case wait(Promise<Void>, place: Int)
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
