import AtriumKit
import AtriumNetworking
import AtriumTesting
import Testing

@Suite("Tokens are refreshed once for all waiting calls")
struct TokenRefreshTests {
    @Test("A valid token is sent")
    func goodToken() async throws {
        let client = try TestClient(tokens: .sample()) { _ in .row }

        #expect(try await client.manager.request(.row(1)) == Row(id: 1, name: "Ada"))

        #expect(client.transport.requests.map(\.token) == ["access-ada-1"])
        #expect(client.transport.requests[0].fields["Authorization"] == "Bearer access-ada-1")
    }

    @Test("An expired token is refreshed before the call (RFC 6749, 6) and stored before use")
    func expiredToken() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .tokens(2) : .row }

        _ = try await client.manager.request(.row(1))

        #expect(
            client.transport.requests.map(\.url) == [
                "http://server.test/oauth/token", "http://server.test/v1/rows/1",
            ])
        #expect(client.transport.requests[0].text == "grant_type=refresh_token&refresh_token=refresh-ada-1")
        #expect(client.transport.requests[0].token == nil)
        #expect(client.transport.requests[1].token == "access-ada-2")
        #expect(client.store.events == ["save access-ada-2"])
        #expect(await client.manager.tokens?.id == "ada")
        #expect(await client.manager.tokens?.expiresAt == client.clock.now().adding(seconds: 60))
    }

    @Test("A token is refreshed shortly before it expires, but not in the first three quarters of its life")
    func leeway() async throws {
        let client = try TestClient { $0.isForTokens ? .tokens(2) : .row }
        try await client.manager.use(.sample(expiresAt: client.clock.now().adding(seconds: 20)))

        client.clock.advance(seconds: 14)
        _ = try await client.manager.request(.row(1))
        #expect(client.refreshes == 0)
        client.clock.advance(seconds: 1)
        _ = try await client.manager.request(.row(1))
        #expect(client.refreshes == 1)
    }

    @Test("Tokens that are new but already expired by this clock are used until they are refused")
    func clocksDiffer() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .tokens(2, life: -5) : .row }

        for _ in 0..<3 { _ = try await client.manager.request(.row(1)) }

        #expect(client.refreshes == 1)
    }

    @Test("1,000 calls with an expired token cause one refresh")
    func thousand() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .tokens(2) : .row }
        client.transport.hold(\.isForTokens)

        let calls = (0..<1_000).map { number in Task { try await client.manager.request(.row(number)) } }
        #expect(await eventually { await client.manager.metrics.waitingForTokens == 1_000 })
        client.transport.release()
        for call in calls { #expect(try await call.value.id == 1) }

        #expect(client.refreshes == 1)
        #expect(client.transport.requests.count == 1_001)
        #expect(client.transport.requests.dropFirst().allSatisfy { $0.token == "access-ada-2" })
        #expect(await client.manager.metrics.refreshes == 1)
    }

    /// A failed refresh is not cached: it fails for all its waiting calls, and the next call tries again.
    @Test("A failed refresh fails all waiting calls, and the next call tries again")
    func failThenSucceed() async throws {
        let client = try TestClient(tokens: .expired, configure: { $0.retry.attempts = 1 }) { _ in
            throw TransportError(.serverUnreachable, "Nobody listens there.", neverSent: true)
        }
        client.transport.hold(\.isForTokens)
        let calls = (0..<100).map { number in Task { try await client.manager.request(.row(number)) } }
        #expect(await eventually { await client.manager.metrics.waitingForTokens == 100 })
        client.transport.release()
        for call in calls {
            let error = await failure { try await call.value }
            #expect(error?.code == .serverUnreachable)
            #expect(error?.message.hasPrefix("The sign-in could not be renewed. ") == true)
        }
        #expect(client.refreshes == 1)

        let next = await failure { try await client.manager.request(.row(1)) }

        #expect(next?.code == .serverUnreachable)
        #expect(client.refreshes == 2)
        #expect(await client.manager.tokens == .expired, "A network failure does not end the sign-in.")
    }

    @Test("A refresh can succeed after a failed one")
    func notRemembered() async throws {
        let turns = Turns([.failure(TransportError(.connectionLost, "Gone.")), .success(.tokens(2))])
        let client = try TestClient(tokens: .expired, configure: { $0.retry.attempts = 1 }) {
            $0.isForTokens ? try turns.next() : .row
        }

        #expect(await failure { try await client.manager.request(.row(1)) }?.code == .connectionLost)
        #expect(try await client.manager.request(.row(1)).id == 1)

        #expect(client.refreshes == 2)
    }

    @Test("Cancelling a call affects neither the refresh nor the other waiting calls")
    func cancelOne() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .tokens(2) : .row }
        client.transport.hold(\.isForTokens)
        let calls = (0..<5).map { number in Task { try await client.manager.request(.row(number)) } }
        #expect(await eventually { await client.manager.metrics.waitingForTokens == 5 })

        calls[2].cancel()
        await #expect(throws: CancellationError.self) { try await calls[2].value }
        #expect(await client.manager.metrics.waitingForTokens == 4)
        client.transport.release()

        for (number, call) in calls.enumerated() where number != 2 { #expect(try await call.value.id == 1) }
        #expect(client.refreshes == 1)
        #expect(client.requests("/rows/2").isEmpty)
    }

    @Test("A refresh continues after all waiting calls are cancelled")
    func cancelAll() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .tokens(2) : .row }
        client.transport.hold(\.isForTokens)
        let call = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)

        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        client.transport.release()

        #expect(await eventually { await client.manager.tokens?.accessToken == "access-ada-2" })
        #expect(client.store.stored?.accessToken == "access-ada-2")
    }

    @Test("A call with a limit of 2 seconds stops waiting for a refresh, which continues")
    func ownTimeLimit() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .tokens(2) : .row }
        client.transport.hold(\.isForTokens)
        client.time.hold()
        let call = Task {
            try await client.manager.request(.row(1).with { $0.timeLimit = .seconds(2) })
        }
        #expect(await eventually { !client.time.sleepers.isEmpty })

        for sleeper in client.time.sleepers { client.time.wake(sleeper) }

        let error = await failure { try await call.value }
        #expect(error?.code == .timedOut)
        #expect(
            error?.message == "GET v1/rows/:id was not sent: the sign-in was not renewed within 2 seconds.")
        client.transport.release()
        #expect(await eventually { await client.manager.tokens?.accessToken == "access-ada-2" })
    }
}

@Suite("Responses with status 401")
struct RefusedTokenTests {
    @Test("After a refusal the tokens are refreshed and the call is retried once")
    func renewed() async throws {
        let client = try TestClient(tokens: .sample()) {
            $0.isForTokens ? .tokens(2) : $0.token == "access-ada-2" ? .row : .unauthorized
        }

        #expect(try await client.manager.request(.row(1)).id == 1)

        #expect(client.transport.requests.map(\.token) == ["access-ada-1", nil, "access-ada-2"])
    }

    @Test("A call that is refused again with refreshed tokens fails, and the sign-in stays")
    func refusedTwice() async throws {
        let client = try TestClient(tokens: .sample()) { $0.isForTokens ? .tokens(2) : .unauthorized }

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(error?.code == .notAuthenticated)
        #expect(error?.status == 401)
        #expect(error?.problem?.name == "unauthenticated")
        #expect(client.requests("/rows/1").count == 2)
        #expect(client.refreshes == 1)
        #expect(await client.manager.tokens?.accessToken == "access-ada-2")
    }

    @Test("A call that was sent with older tokens is retried without a refresh")
    func olderToken() async throws {
        let client = try TestClient(tokens: .sample()) {
            $0.isForTokens ? .tokens(2) : $0.token == "access-ada-2" ? .row : .unauthorized
        }
        client.transport.hold { $0.url.hasSuffix("/rows/1") }
        let slow = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)
        _ = try await client.manager.request(.row(2))
        #expect(client.refreshes == 1)

        client.transport.release()

        #expect(try await slow.value.id == 1)
        #expect(client.refreshes == 1)
        #expect(client.requests("/rows/1").map(\.token) == ["access-ada-1", "access-ada-2"])
    }

    @Test("Many refused calls refresh once")
    func manyRefused() async throws {
        let client = try TestClient(tokens: .sample()) {
            $0.isForTokens ? .tokens(2) : $0.token == "access-ada-2" ? .row : .unauthorized
        }
        client.transport.hold()
        let calls = (0..<50).map { number in Task { try await client.manager.request(.row(number)) } }
        await client.transport.waitUntilHeld(50)

        client.transport.release()

        for call in calls { #expect(try await call.value.id == 1) }
        #expect(client.refreshes == 1)
    }

    @Test("A POST is retried after a refusal with the same idempotency key")
    func keyStays() async throws {
        let client = try TestClient(tokens: .sample()) {
            $0.isForTokens ? .tokens(2) : $0.token == "access-ada-2" ? .row : .unauthorized
        }

        _ = try await client.manager.request(.create(Row(id: 1, name: "Ada")))

        let keys = client.requests("/v1/rows").map { $0.fields["Idempotency-Key"] }
        #expect(keys.count == 2 && keys[0] == keys[1] && keys[0]?.count == 32)
    }

    @Test("Refused tokens without a refresh token end the sign-in")
    func notRenewable() async throws {
        let client = try TestClient(tokens: .sample(canRenew: false)) { _ in .unauthorized }
        var events = await client.manager.tokenEvents().makeAsyncIterator()

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(error?.message == "The sign-in has ended: the server no longer accepts it.")
        #expect(await client.manager.tokens == nil)
        #expect(client.store.stored == nil)
        #expect(await events.next() == .ended(id: "ada"))
    }

    @Test(
        "A sign-in with a lost response is not retried; a refresh is, since its token may be spent")
    func lostAnswers() async throws {
        let client = try TestClient(tokens: .expired, configure: { $0.retry.attempts = 2 }) { _ in
            throw TransportError(.connectionLost, "Closed.")
        }

        _ = await failure {
            try await client.manager.obtainTokens(.password(username: "ada", password: "x"))
        }
        #expect(client.refreshes == 1)
        _ = await failure { try await client.manager.request(.row(1)) }

        #expect(client.refreshes == 3)
    }

    @Test("When this sign-in ends, one that another process has stored stays")
    func otherProcess() async throws {
        let client = try TestClient(tokens: .sample(canRenew: false)) { _ in .unauthorized }
        #expect(await client.manager.tokens?.id == "ada")
        client.store.replace(.sample(id: "grace"))

        _ = await failure { try await client.manager.request(.row(1)) }

        #expect(await client.manager.tokens == nil)
        #expect(client.store.stored?.id == "grace")
    }

    @Test("Explicit tokens are not refreshed, and their refusal does not end the sign-in")
    func explicitTokens() async throws {
        let client = try TestClient(tokens: .sample()) { _ in .unauthorized }

        let error = await failure {
            try await client.manager.request(.row(1, access: .explicit(.sample(7, id: "grace"))))
        }

        #expect(error?.code == .notAuthenticated)
        #expect(client.transport.requests.map(\.token) == ["access-grace-7"])
        #expect(await client.manager.tokens == .sample())
    }

    @Test(
        "Without a sign-in, a call that requires one is not sent; other calls carry no token")
    func nobody() async throws {
        let client = try TestClient { _ in .row }

        let error = await failure { try await client.manager.request(.row(1, access: .required)) }
        _ = try await client.manager.request(.row(2))

        #expect(error?.code == .notAuthenticated)
        #expect(error?.message == "GET v1/rows/:id requires a sign-in.")
        #expect(error?.hint == "session sign-in --email EMAIL")
        #expect(client.transport.requests.map(\.token) == [nil])
    }

    @Test("An anonymous call carries no token, even during a sign-in")
    func anonymous() async throws {
        let client = try TestClient(tokens: .sample()) { _ in .row }

        _ = try await client.manager.request(.row(1, access: .anonymous))

        #expect(client.transport.requests.map(\.token) == [nil])
    }
}
