@_spi(Host) package import AtriumKit

extension APIManager {
    package nonisolated func obtainTokens(_ grant: TokenGrant) async throws -> AccessTokens {
        let form: [(String, String)]
        switch grant {
        case .password(let username, let password):
            form = [("grant_type", "password"), ("username", username), ("password", password)]
        @unknown default:
            throw APIErrors.unknownGrant
        }
        // Signing in twice makes a second sign-in, which nobody knows of: sent again only where it is certain
        // that the first one was not carried out.
        let answer = try await askForTokens(form, .never)
        return answer.tokens(id: RandomName.make(random), renewing: nil, now: clock.now())
    }

    package nonisolated func revoke(_ tokens: AccessTokens) async throws {
        let token = tokens.refreshToken ?? tokens.accessToken
        let call = Endpoint<NoAnswer>(
            .post, configuration.revokePath, body: .form([("token", token)]), access: .anonymous)
        _ = try await request(call.with { $0.repetition = .safe })
    }

    /// Tokens that renew others.
    nonisolated func renewed(_ spent: AccessTokens) async throws -> AccessTokens {
        let form = [("grant_type", "refresh_token"), ("refresh_token", spent.refreshToken ?? "")]
        // Sent again after a lost answer too: the former tokens are spent by then, so nothing is risked.
        let answer = try await askForTokens(form, .safe)
        return answer.tokens(id: spent.id, renewing: spent, now: clock.now())
    }

    private nonisolated func askForTokens(
        _ form: [(String, String)], _ repetition: APICall.Repetition
    ) async throws -> TokenAnswer {
        let path = configuration.tokenPath
        let call = Endpoint<TokenAnswer>(.post, path, body: .form(form), access: .anonymous)
        let answer = try await request(call.with { $0.repetition = repetition })
        guard answer.isUsable
        else { throw APIErrors.unusableTokens(EndpointName(.post, path), status: 200) }
        return answer
    }
}
