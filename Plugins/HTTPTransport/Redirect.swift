import AtriumKit

/// A request and where its redirects lead (RFC 9110, 15.4).
///
/// A read is followed anywhere, to other origins without credentials. A change stays on its server, and is only
/// repeated there if the status says that the method stays the same. Status 303 says that it is done, whatever
/// becomes of reading its result.
struct Redirect {
    private(set) var request: HTTPRequest
    /// Whether another server has got the request without the credentials that it had.
    private var isWithoutCredentials = false

    /// The answer that says that the change is done.
    private(set) var done: HTTPResponse?

    init(_ request: HTTPRequest) {
        self.request = request
    }

    /// Makes the next request; false if the response is not followed.
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

    /// The response for the caller: a change that is done has no other one than a readable result.
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
