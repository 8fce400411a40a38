import AtriumKit
import AtriumNetworking
import AtriumTesting
import Testing

@Suite("The current sign-in")
struct SignInTests {
    @Test("A refused refresh token ends the sign-in, once for all waiting calls")
    func ended() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .invalidGrant : .row }
        var events = await client.manager.tokenEvents().makeAsyncIterator()
        client.transport.hold(\.isForTokens)
        let calls = (0..<10).map { number in Task { try await client.manager.request(.row(number)) } }
        #expect(await eventually { await client.manager.metrics.waitingForTokens == 10 })

        client.transport.release()

        for call in calls {
            let error = await failure { try await call.value }
            #expect(error?.code == .notAuthenticated)
            #expect(error?.message == "The sign-in has ended: the server no longer accepts it.")
            #expect((error?.cause as? APIError)?.code == .invalidGrant)
        }
        #expect(await client.manager.tokens == nil)
        #expect(client.store.stored == nil)
        #expect(client.refreshes == 1)
        #expect(client.transport.requests.count == 1, "Nothing is sent with the tokens of an ended sign-in.")
        try await client.manager.use(.sample(3, id: "grace"))
        try await client.manager.use(.sample(4, id: "alan", expiresAt: Timestamp(microseconds: 0)))
        _ = await failure { try await client.manager.request(.row(1)) }
        #expect(await events.next() == .ended(id: "ada"))
        #expect(await events.next() == .ended(id: "alan"))
    }

    @Test("Tokens that another process has stored are used instead of a refresh")
    func otherProcessBefore() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .invalidGrant : .row }
        _ = await client.manager.tokens
        client.store.replace(.sample(2))

        _ = try await client.manager.request(.row(1))

        #expect(client.transport.requests.map(\.token) == ["access-ada-2"])
    }

    @Test("Tokens that another process stores during a refresh are used if it is refused")
    func otherProcessDuring() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .invalidGrant : .row }
        client.transport.hold(\.isForTokens)
        let call = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)
        client.store.replace(.sample(2))

        client.transport.release()

        #expect(try await call.value.id == 1)
        #expect(client.transport.requests.map(\.token) == [nil, "access-ada-2"])
        #expect(client.store.stored == .sample(2))
    }

    @Test("Tokens without a refresh that are refused don't clear those that were saved meanwhile")
    func savedMeanwhile() async throws {
        let client = try TestClient(tokens: .sample(canRenew: false)) {
            $0.token == "access-ada-1" ? .unauthorized : .row
        }
        client.transport.hold()
        let call = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)
        client.store.replace(.sample(2))

        client.transport.release()

        #expect(try await call.value.id == 1)
        #expect(client.store.stored == .sample(2))
        #expect(client.store.events == [])
    }

    @Test("A renewal that is refused while tokens are saved does not clear them")
    func savedDuringRefusal() async throws {
        let client = try TestClient(tokens: .expired) { _ in .invalidGrant }
        // The first look finds the spent tokens, the last one those that were saved since.
        client.store.replace(.sample(2), afterLoads: 3)

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(error?.code == .notAuthenticated)
        #expect(client.store.stored == .sample(2))
    }

    @Test("Tokens that another process stored for another person are neither used nor replaced")
    func otherPerson() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .tokens(2) : .row }
        _ = await client.manager.tokens
        client.store.replace(.sample(9, id: "grace"))

        _ = try await client.manager.request(.row(1))

        #expect(client.requests("/rows/1").map(\.token) == ["access-ada-2"])
        #expect(client.store.stored == .sample(9, id: "grace"))
        #expect(await client.manager.tokens?.id == "ada")
    }

    @Test("A refresh does not undo a sign-out in another process")
    func signedOutElsewhere() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .tokens(2) : .row }
        _ = await client.manager.tokens
        client.store.replace(nil)

        _ = try await client.manager.request(.row(1))

        #expect(client.store.stored == nil)
    }

    @Test("Refreshed tokens that can't be stored are used and logged")
    func storeFails() async throws {
        let client = try TestClient(tokens: .expired) {
            $0.isForTokens ? .tokens($0.text.hasSuffix("-1") ? 2 : 3) : .row
        }
        client.store.failWrites()

        _ = try await client.manager.request(.row(1))
        client.clock.advance(seconds: 60)
        _ = try await client.manager.request(.row(2))

        #expect(client.requests("/rows/1").map(\.token) == ["access-ada-2"])
        #expect(client.requests("/rows/2").map(\.token) == ["access-ada-3"], "The stored tokens are older.")
        #expect(
            client.log.messages.contains(
                "warning: The renewed sign-in can't be stored; it ends with this process."))
    }

    @Test("A sign-out during a refresh drops its late response")
    func signOutDuringRenewal() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .tokens(2) : .row }
        client.transport.hold(\.isForTokens)
        let call = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)

        try await client.manager.use(nil)
        client.transport.release()

        let error = await failure { try await call.value }
        #expect(error?.message == "GET v1/rows/:id was not sent: the sign-in has changed.")
        #expect(await client.manager.tokens == nil)
        #expect(client.store.events == ["clear"])
        #expect(client.requests("/rows/1").isEmpty)
    }

    @Test("A new sign-in during a refresh stays, and waiting calls are not sent with its tokens")
    func otherSignInDuringRenewal() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .tokens(2) : .row }
        client.transport.hold(\.isForTokens)
        let call = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)

        try await client.manager.use(.sample(1, id: "grace"))
        client.transport.release()

        #expect(await failure { try await call.value }?.code == .notAuthenticated)
        #expect(await client.manager.tokens == .sample(1, id: "grace"))
        #expect(client.store.stored == .sample(1, id: "grace"))
        _ = try await client.manager.request(.row(2))
        #expect(client.requests("/rows/2").map(\.token) == ["access-grace-1"])
    }

    @Test("A late refusal of a refresh does not end another sign-in")
    func lateRefusal() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .invalidGrant : .row }
        client.transport.hold(\.isForTokens)
        let call = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)
        try await client.manager.use(.sample(1, id: "grace"))

        client.transport.release()

        _ = await failure { try await call.value }
        #expect(await client.manager.tokens == .sample(1, id: "grace"))
        #expect(client.store.stored == .sample(1, id: "grace"))
    }

    @Test("A refused call is not retried with another person's tokens")
    func refusedAfterChange() async throws {
        let client = try TestClient(tokens: .sample()) { _ in .unauthorized }
        client.transport.hold()
        let call = Task { try await client.manager.request(.create(Row(id: 1, name: "Ada"))) }
        await client.transport.waitUntilHeld(1)
        try await client.manager.use(.sample(1, id: "grace"))

        client.transport.release()

        #expect(await failure { try await call.value }?.code == .notAuthenticated)
        #expect(client.transport.requests.map(\.token) == ["access-ada-1"])
        #expect(await client.manager.tokens == .sample(1, id: "grace"))
    }

    @Test("If tokens can't be stored, the former ones stay in use")
    func useFails() async throws {
        let client = try TestClient(tokens: .sample()) { _ in .row }
        client.store.failWrites()

        await #expect(throws: RecordingTokenStore.Failure.self) {
            try await client.manager.use(.sample(1, id: "grace"))
        }
        await #expect(throws: RecordingTokenStore.Failure.self) { try await client.manager.use(nil) }

        #expect(await client.manager.tokens == .sample())
    }

    @Test("A password grant returns tokens with the server's expiry, and does not change the sign-in")
    func obtain() async throws {
        let client = try TestClient { _ in .tokens(1) }

        let tokens = try await client.manager.obtainTokens(
            .password(username: "ada@example.com", password: "correct horse&more"))

        #expect(
            client.transport.requests[0].text
                == "grant_type=password&username=ada%40example.com&password=correct+horse%26more")
        #expect(client.transport.requests[0].fields["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(client.transport.requests[0].fields["Idempotency-Key"] == nil)
        #expect(tokens.accessToken == "access-ada-1" && tokens.refreshToken == "refresh-ada-1")
        #expect(tokens.expiresAt == client.clock.now().adding(seconds: 60))
        #expect(tokens.refreshExpiresAt == client.clock.now().adding(seconds: 2_592_000))
        #expect(tokens.id.count == 32)
        #expect(await client.manager.tokens == nil)
        #expect(client.store.events == [])
    }

    @Test("Wrong credentials have their own error code and are not retried")
    func wrongPassword() async throws {
        let client = try TestClient { _ in .invalidGrant }

        let error = await failure {
            try await client.manager.obtainTokens(.password(username: "ada", password: "wrong"))
        }

        #expect(error?.code == .invalidGrant)
        #expect(
            error?.message
                == "The server refuses the credentials. The refresh token is not known.")
        #expect(error?.hint == "session sign-in --email EMAIL")
        #expect(client.transport.requests.count == 1)
    }

    @Test("Revoking sends the refresh token (RFC 7009)")
    func revoke() async throws {
        let client = try TestClient { _ in HTTPResponse(status: 200) }

        try await client.manager.revoke(.sample())

        #expect(client.transport.requests.map(\.url) == ["http://server.test/oauth/revoke"])
        #expect(client.transport.requests[0].text == "token=refresh-ada-1")
    }
}
