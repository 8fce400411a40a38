import AtriumKit
internal import CCurl

/// The reason libcurl ended a transfer.
struct CurlFailure: Hashable {
    let code: CURLcode
    let sentence: String
    /// The status of a proxy that made no connection, otherwise 0.
    var proxyStatus = 0
}

/// An exchange as a libcurl handle, on the transport's thread.
///
/// Each exchange has a new handle: a reused one keeps a pointer into its former answer, which libcurl before
/// 8.1.1 follows if a head begins with a space (curl#11101).
final class CurlTransfer {
    let exchange: Exchange
    let easy: UnsafeMutableRawPointer
    private var fields: UnsafeMutablePointer<curl_slist>?
    private let sentence: UnsafeMutablePointer<CChar>

    /// - Throws: ``TransportError`` for a URL without a server.
    init(_ exchange: Exchange, _ limits: TransportLimits) throws(TransportError) {
        self.exchange = exchange
        guard let address = WebAddress(exchange.request.url) else { throw .badURL(exchange.request) }
        guard let easy = ccurl_easy_init() else { throw .outOfMemory(exchange.request) }
        self.easy = easy
        // Last, because an error above runs no deinitializer.
        sentence = .allocate(capacity: Int(CURL_ERROR_SIZE))
        sentence[0] = 0
        set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(sentence))
        set(CURLOPT_URL, address.text)
        setRules(limits, isSecure: address.scheme == "https")
        setMethodAndBody()
        setFields()
        setTrust()
        if exchange.request.describesConnection { setDescription() }
        setCallbacks()
    }

    deinit {
        ccurl_easy_cleanup(easy)
        ccurl_list_free(fields)
        sentence.deallocate()
    }

    func failure(_ code: CURLcode) -> CurlFailure? {
        guard code != CURLE_OK else { return nil }
        let said = String(cString: sentence)
        return CurlFailure(
            code: code, sentence: said.isEmpty ? String(cString: ccurl_sentence(code)) : said,
            proxyStatus: ccurl_number(easy, CURLINFO_HTTP_CONNECTCODE))
    }

    // MARK: - Options

    private func set(_ option: CURLoption, _ value: Int) { _ = ccurl_set_number(easy, option, value) }
    private func set(_ option: CURLoption, _ value: String?) { _ = ccurl_set_text(easy, option, value) }

    private func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        _ = ccurl_set_pointer(easy, option, value)
    }

    private func setRules(_ limits: TransportLimits, isSecure: Bool) {
        set(CURLOPT_NOSIGNAL, 1)
        // Otherwise removing a transfer waits for its name resolution.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, limits.connect.millisecondsRoundedUp)
        // Over HTTP/2 requests wait for a connection that they can share.
        set(CURLOPT_PIPEWAIT, isSecure ? 1 : 0)
        // A server that merely claims 'HTTP/2' would get several requests at once over one connection.
        if !isSecure { set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
        // A server may close an idle connection at any time, so a change uses only a recently used one.
        if !exchange.request.method.isSafe { set(CURLOPT_MAXAGE_CONN, 2) }
        if exchange.needsNewConnection { set(CURLOPT_FRESH_CONNECT, 1) }
        // All encodings that libcurl can decode. It does not notice truncated compressed data, which shows in
        // JSON, but not in a file.
        set(CURLOPT_ACCEPT_ENCODING, exchange.isDownload ? "identity" : "")
        if exchange.isDownload { set(CURLOPT_BUFFERSIZE, 256 * 1024) }
        _ = ccurl_set_private_sockets(easy)
    }

    private func setMethodAndBody() {
        let method = exchange.request.method
        switch exchange.request.body {
        case .none where method == .head: set(CURLOPT_NOBODY, 1)
        case .none where method == .get: set(CURLOPT_HTTPGET, 1)
        case .none where method == .post || method == .put || method == .patch: setBody([])
        case .none: break
        case .bytes(let bytes): setBody(bytes)
        case .file: setUpload()
        @unknown default: break
        }
        if method != .head, method != .get || exchange.request.body != .none {
            set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        }
    }

    private func setBody(_ bytes: [UInt8]) {
        _ = ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
        bytes.withUnsafeBytes {
            // libcurl copies it.
            let start = $0.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
            set(CURLOPT_COPYPOSTFIELDS, start ?? UnsafeMutableRawPointer(sentence))
        }
    }

    private func setUpload() {
        guard let upload = exchange.upload else { return }
        if upload.size == 0 { return setBody([]) }
        set(CURLOPT_UPLOAD, 1)
        _ = ccurl_set_size(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.size))
        _ = ccurl_set_stream(easy, CURLOPT_READFUNCTION) { buffer, size, count, context in
            let space = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
            return CurlTransfer.exchange(context).send(into: space) ?? Int(CURL_READFUNC_ABORT)
        }
        set(CURLOPT_READDATA, context)
    }

    private func setFields() {
        let request = exchange.request
        for field in request.fields.fields {
            // libcurl removes a field without a value unless it ends with a semicolon.
            append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if request.fields["User-Agent"] == nil { append("User-Agent: atrium") }
        if request.fields["Content-Type"] == nil { append("Content-Type:") }
        append("Expect:")
        set(CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(fields))
    }

    private func append(_ line: String) { fields = ccurl_list_append(fields, line) ?? fields }

    private func setTrust() {
        guard let tls = exchange.request.tls else { return }
        if let authority = tls.authority {
            set(CURLOPT_CAINFO, authority)
            set(CURLOPT_CAPATH, nil as String?)
        }
        if let certificate = tls.certificate { set(CURLOPT_SSLCERT, certificate) }
        if let key = tls.key { set(CURLOPT_SSLKEY, key) }
    }

    /// Forces a new connection, as the certificate is only known while the connection is made.
    private func setDescription() {
        set(CURLOPT_FRESH_CONNECT, 1)
        set(CURLOPT_CERTINFO, 1)
        exchange.connection = { [easy] in HTTPConnection(of: easy) }
    }

    // MARK: - Callbacks

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(exchange).toOpaque() }

    private static func exchange(_ context: UnsafeMutableRawPointer?) -> Exchange {
        guard let context else { preconditionFailure("Each callback gets the exchange.") }
        return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    }

    private func setCallbacks() {
        _ = ccurl_set_prereq(easy) { context, address, _, port, localPort in
            let exchange = CurlTransfer.exchange(context)
            let socket = ccurl_use_socket(address, port, localPort)
            return exchange.mayBeSent(over: socket) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        exchange.watchEnd = { [easy] in ccurl_watch_end(easy) }
        exchange.isOnKeptConnection = { [easy] in ccurl_number(easy, CURLINFO_NUM_CONNECTS) == 0 }
        set(CURLOPT_PREREQDATA, context)
        _ = ccurl_set_stream(easy, CURLOPT_HEADERFUNCTION) { line, size, count, context in
            let bytes = UnsafeRawBufferPointer(start: line, count: size * count)
            return CurlTransfer.exchange(context).receiveHead(bytes) ? size * count : -1
        }
        set(CURLOPT_HEADERDATA, context)
        _ = ccurl_set_stream(easy, CURLOPT_WRITEFUNCTION) { part, size, count, context in
            let bytes = UnsafeRawBufferPointer(start: part, count: size * count)
            return CurlTransfer.exchange(context).receiveBody(bytes) ? size * count : -1
        }
        set(CURLOPT_WRITEDATA, context)
    }
}

extension Duration {
    var millisecondsRoundedUp: Int {
        Int(clamping: (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
