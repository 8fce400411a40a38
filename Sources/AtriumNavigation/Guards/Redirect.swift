@_spi(Host) package import AtriumKit

/// Where guards send somebody instead of the place that was wanted.
@MainActor
package struct Redirect {
    let link: Link
    let intent: StackEntry.Intent
    let result: GuardResult

    /// The error for what can't wait for a redirect.
    package var refusal: NavigationError {
        .needsRedirect(link, by: intent.guardName, because: intent.reason, to: result.target.name)
    }
}

extension Coordinator {
    /// Where guards would send somebody who wants to look at the place of a link; nil where they allow it.
    ///
    /// - Throws: ``NavigationError`` where one refuses.
    package func redirect(from link: Link) async throws -> Redirect? {
        let target = try await find(link)
        guard try !guards.concerning(target).isEmpty else { return nil }
        let result = try await evaluator.evaluate(target, request: .push(target.name))
        guard let intent = result.intents.first else { return nil }
        return Redirect(link: target.link, intent: intent, result: result)
    }

    /// What `back` means: from a redirect that was made from a place on the stack, leaving both.
    ///
    /// That place alone would only lead to the redirect again, for ever.
    var operationOfBack: NavigationState.Operation {
        let intent = currentEntry?.intents.first { $0.request.operation == .reveal }
        guard let intent, let index = state.entries.firstIndex(where: { $0.id == intent.request.entry })
        else {
            return .back
        }
        return index > 0 ? .pop(to: state.entries[index - 1].id) : .root
    }

    /// Goes where guards sent somebody, without asking them again: once for each navigation is enough.
    @discardableResult
    package func follow(_ redirect: Redirect) async throws -> Arrival {
        let request = NavigationRequest.push(redirect.link.description)
        return try await navigate(
            QueuedRequest(request, link: redirect.link, result: redirect.result))
    }
}
