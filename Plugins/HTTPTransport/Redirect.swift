import AtriumKit

/// A request and its redirects (RFC 9110, 15.4).
///
/// A read is followed anywhere, to other origins without credentials. A change stays on its server, and is
/// repeated there only if the status keeps the method. Status 303 means that the change was made, even if its
/// result can't be read.
struct Redirect {
    private(set) var request: HTTPRequest
    /// True if another server received the request without its credentials.
    private var isWithoutCredentials = false

    /// The answer that reports the change as made.
    private(set) var done: HTTPResponse?

    init(_ request: HTTPRequest) {
        self.request = request
    }

    /// Prepares the next request; returns false if the response is not followed.
    ///
    /// - Throws: ``TransportError`` with code `redirected` for a redirect that the request must not follow.
    mutating func follow(_ response: HTTPResponse) throws(TransportError) -> Bool {
        if response.status == 401, isWithoutCredentials {
            throw .redirected(request, "to a server that asks for a sign-in", to: request.shownURL)
        }
        guard [301, 302, 303, 307, 308].contains(response.status),
            let location = response.fields["Location"], let base = WebAddress(request.url),
            let target = WebAddress(location, relativeTo: base)
        else { return false }
        if request.method.isSafe {
            try followRead(from: base, to: target)
        } else {
            guard response.status != 303 || target.isSameOrigin(as: base) else { return false }
            try followChange(response.status, from: base, to: target)
            if response.status == 303 { done = response }
        }
        request.url = target.text
        return true
    }

    /// The response for the caller: after a completed change, a readable result, or else its answer.
    func result(_ response: HTTPResponse) -> HTTPResponse {
        (200..<300).contains(response.status) ? response : done ?? response
    }

    private mutating func followRead(
        from base: WebAddress, to target: WebAddress
    ) throws(TransportError) {
        guard !target.isSameOrigin(as: base) else { return }
        if base.scheme == "https", target.scheme == "http" {
            throw .redirected(request, "to a connection that is not secure", to: target.shown)
        }
        let count = request.fields.fields.count
        for name in request.credentialFields { request.fields[name] = nil }
        isWithoutCredentials = isWithoutCredentials || request.fields.fields.count < count
        request.tls = nil
    }

    private mutating func followChange(
        _ status: Int, from base: WebAddress, to target: WebAddress
    ) throws(TransportError) {
        guard target.isSameOrigin(as: base) else {
            throw .redirected(request, "to another server", to: target.shown)
        }
        switch status {
        case 303:
            request.method = .get
            request.body = .none
            request.fields["Content-Type"] = nil
            request.fields["Idempotency-Key"] = nil
        case 301 where request.method == .post, 302 where request.method == .post:
            throw .redirected(request, "with status \(status)", to: target.shown)
        default: break
        }
    }
}
