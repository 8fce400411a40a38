@_spi(Host) internal import AtriumKit

// Renewing tokens: once for all who wait. A renewal is never cancelled, since a server that rotates refresh
// tokens may have spent the old one; who no longer waits just leaves.

extension APIManager {
    /// The renewal of tokens, begun where it is not under way, with a place among those who wait.
    func joinRefresh(of tokens: AccessTokens) -> (work: Promise<Void>, place: Int) {
        let spent = tokens.refreshToken ?? ""
        if let work = refreshes[spent], let place = work.join() { return (work, place) }
        let work = Promise<Void>(cancelsWhenAbandoned: false)
        refreshes[spent] = work
        guard let place = work.join() else { preconditionFailure("New work takes everybody.") }
        work.begin { try await self.refresh(tokens) }
        return (work, place)
    }

    private func refresh(_ spent: AccessTokens) async throws {
        defer { refreshes[spent.refreshToken ?? ""] = nil }
        guard machine.isPresent(spent), !adoptStored(insteadOf: spent) else { return }
        do {
            let fresh = try await renewed(spent)
            // Whoever was signed in may have signed out meanwhile; what comes late does not bring them back.
            guard machine.isPresent(spent) else { return }
            save(fresh, renewing: spent)
            install(fresh, areNew: true)
            recorder.refreshes += 1
            logger?.info("The sign-in was renewed.")
            events.send(.refreshed)
        } catch {
            recorder.failedRefreshes += 1
            try fail(spent, error as? APIError ?? APIErrors.ended(cause: nil))
        }
    }

    /// What follows a renewal that failed.
    private func fail(_ spent: AccessTokens, _ error: APIError) throws {
        guard machine.isPresent(spent) else { return }
        guard error.code == .invalidGrant else { throw APIErrors.notRenewed(error) }
        // Another process may have spent the same refresh token, and stored what it got.
        guard !adoptStored(insteadOf: spent) else { return }
        throw end(cause: error)
    }

    /// Forgets tokens that the server refuses for good.
    ///
    /// - Returns: The error of who tried to use them.
    func end(cause: APIError) -> APIError {
        guard let ended = machine.present else { return APIErrors.ended(cause: cause) }
        do {
            // Where another process has signed in somebody else, their tokens stay.
            if try store.load()?.id == ended.id { try store.clear() }
        } catch {
            logger?.warning("The stored sign-in, which has ended, can't be removed.")
        }
        install(nil, areNew: true)
        forgetAnswers()
        logger?.info("The sign-in has ended: the server no longer accepts it.")
        events.send(.ended(id: ended.id))
        return APIErrors.ended(cause: cause)
    }

    /// Uses what another process stored for the same sign-in since these tokens were stored.
    private func adoptStored(insteadOf spent: AccessTokens) -> Bool {
        guard !isStoreBehind, let stored = try? store.load(), stored.id == spent.id,
            stored.refreshToken != spent.refreshToken
        else { return false }
        install(stored, areNew: false)
        events.send(.refreshed)
        return true
    }

    /// Stores renewed tokens, before they are used.
    ///
    /// Where another process signed out, or signed in somebody
    /// else, that stays so; where nothing can be stored, the tokens are used nevertheless, since the former
    /// ones are spent.
    private func save(_ fresh: AccessTokens, renewing spent: AccessTokens) {
        do {
            guard try isStoreBehind || store.load()?.id == spent.id else { return }
            try store.save(fresh)
            isStoreBehind = false
        } catch {
            isStoreBehind = true
            logger?.warning("The renewed sign-in can't be stored; it ends with this process.")
        }
    }
}
