@_spi(Host) package import AtriumKit
internal import AtriumManifest
internal import FoundationEssentials

// MARK: - Trace

extension APIManager {
    /// Sends, and prints the request and its outcome without secrets.
    nonisolated func traced(
        _ request: HTTPRequest, _ plan: RequestPlan, by tracer: APITracer,
        _ send: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let (number, isFull) = (tracer.nextNumber(), tracer.detail == .full)
        let redact = await redactor(plan)
        var lines = ["#\(number) > \(request.method) \(redact(request.url))"]
        if isFull {
            lines += details(
                request.fields.fields.map { redact($0.description) }, body(request, plan), number)
        }
        await tracer.print(lines)
        let start = uptime()
        do {
            let response = try await send()
            let answer = redact.answer(response, names: authorization)
            lines = ["#\(number) < \(response.status) in \(shown(uptime() - start)), \(size(response))"]
            if isFull {
                lines += details(answer.fields.fields.map { "\($0.name): \($0.value)" }, answer.body, number)
            }
            await tracer.print(lines)
            return response
        } catch {
            let reason = (error as? any ExplainedError)?.message ?? "it was cancelled."
            await tracer.print(["#\(number) < none after \(shown(uptime() - start)): \(redact(reason))"])
            throw error
        }
    }

    /// Sends, and notes the request below the call of a service that makes it, if that is tapped.
    nonisolated func noted(
        _ request: HTTPRequest, _ plan: RequestPlan, over transport: any HTTPTransport, _ send: Send
    ) async throws -> HTTPResponse {
        guard let call = TappedCall.current else { return try await send(transport, request) }
        let text = "\(request.method) \(await redactor(plan)(request.url))"
        let start = uptime()
        do {
            let response = try await send(transport, request)
            call.note(CallStep("\(text): \(response.status)", uptime() - start))
            return response
        } catch {
            call.note(CallStep("\(text): no answer", uptime() - start))
            throw error
        }
    }

    /// Prints that a call needed no request.
    nonisolated func traceCached(_ plan: RequestPlan) async {
        guard let tracer, tracer.detail != .off else { return }
        let url = await redactor(plan)(plan.request.url)
        await tracer.print(["#\(tracer.nextNumber()) = \(plan.request.method) \(url) from the cache"])
    }

    private nonisolated func details(_ fields: [String], _ body: String?, _ number: Int) -> [String] {
        var lines = fields
        if let body, !body.isEmpty {
            let start = body.prefix(Self.bodyLimit)
            lines.append(start.count < body.count ? "\(start)…" : body)
        }
        return lines.map { "#\(number)   \($0)" }
    }

    /// In characters.
    private static let bodyLimit = 2_000

    private nonisolated func body(_ request: HTTPRequest, _ plan: RequestPlan) -> String? {
        switch (plan.call.body, request.body) {
        case (_, .none): return nil
        case (_, .file(let path)): return "(the file '\(path)')"
        case (.form(let pairs), _):
            let shown = pairs.map { name, value in
                let isSecret = SecretName.matches(name) || authorization.isSecret(name)
                return (name, isSecret ? "(hidden)" : value)
            }
            return String(decoding: PercentEncoding.form(shown), as: UTF8.self)
        case (_, .bytes(let bytes)):
            guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else {
                return "(\(bytes.count) bytes)"
            }
            let secrets = SecretMembers.values(in: bytes, names: authorization)
            return Redactor(secrets)(value).serialized
        @unknown default: return nil
        }
    }

    private nonisolated func size(_ response: HTTPResponse) -> String {
        response.body.count == 1 ? "1 byte" : "\(response.body.count) bytes"
    }

    private nonisolated func shown(_ time: Duration) -> String {
        time.decimal(in: .milliseconds(1), digits: 2) + " ms"
    }
}

// MARK: - Ping

/// The response to a HEAD request for the server's URL.
package struct APIPing: Sendable, Hashable {
    package let url: String
    package let status: Int
    /// From the start of the connection to the response.
    package let time: Duration
    /// The field `Server`; nil without it.
    package let software: String?
    /// The server's time minus the host's, in whole seconds; nil if the server sends no time.
    package let clockDifference: Duration?
    /// Nil if the transport does not know it.
    package let connection: HTTPConnection?
}

extension APIManager {
    /// Sends one HEAD request without credentials to the server's URL, over a new connection.
    ///
    /// - Throws: ``APIError`` if nothing answers, or `CancellationError`.
    package nonisolated func ping() async throws -> APIPing {
        let call = Endpoint<JSONValue>(.head, "/", access: .anonymous).call
        let plan = try RequestPlan(call, configuration, isDownload: false, random: random)
        var request = plan.request
        request.describesConnection = true
        let transport = try await transport(for: plan)
        let start = uptime()
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch let error as TransportError {
            throw APIErrors.transport(
                error.redacted(await redactor(plan)), plan, origin: configuration.base.origin)
        }
        let time = uptime() - start
        let date = response.fields["Date"].flatMap(HTTPDate.parse)
        return APIPing(
            url: request.url, status: response.status, time: time, software: response.fields["Server"],
            clockDifference: date.map { .seconds($0.seconds(since: clock.now())) },
            connection: response.connection)
    }
}
