import AtriumKit
import Foundation

/// Decides which redirects are followed: those to the same server (RFC 9110, section 15.4), so that no other
/// one gets what was meant for it.
enum Redirect {
    /// The request that an answer redirects `request` to; nil where the answer is the answer.
    static func request(after answer: HTTPResponse, to request: HTTPRequest) -> HTTPRequest? {
        guard let location = answer.fields["Location"], let method = method(answer.status, request.method),
            let base = URL(string: request.url), let target = URL(string: location, relativeTo: base),
            isSameServer(target, base)
        else { return nil }
        var next = request
        next.url = target.absoluteString
        if method != request.method {
            next.method = method
            next.body = .none
            next.fields["Content-Type"] = nil
        }
        return next
    }

    /// The method of the next request; nil for an answer that does not redirect.
    private static func method(_ status: Int, _ method: HTTPMethod) -> HTTPMethod? {
        switch status {
        case 301, 302: method == .post ? .get : method
        case 303: method == .head ? .head : .get
        case 307, 308: method
        default: nil
        }
    }

    private static func isSameServer(_ left: URL, _ right: URL) -> Bool {
        left.scheme?.lowercased() == right.scheme?.lowercased()
            && left.host()?.lowercased() == right.host()?.lowercased() && left.port == right.port
    }
}
