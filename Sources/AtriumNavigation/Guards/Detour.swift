@_spi(Host) package import AtriumKit

/// Where guards send somebody instead of the place that was wanted.
@MainActor
package struct Detour {
    let link: Link
    let intent: StackEntry.Intent
    let admission: Admission

    /// The error for what can't wait for a detour.
    package var refusal: NavigationError {
        .needsDetour(link, by: intent.guardName, because: intent.reason, to: admission.target.name)
    }
}

extension Coordinator {
    /// Where guards would send somebody who wants to look at the place of a link; nil where they allow it.
    ///
    /// - Throws: ``NavigationError`` where one refuses.
    package func detour(from link: Link) async throws -> Detour? {
        let target = try await find(link)
        guard try !guards.concerning(target).isEmpty else { return nil }
        let admission = try await gatekeeper.admit(target, request: .push(target.name))
        guard let intent = admission.intents.first else { return nil }
        return Detour(link: target.link, intent: intent, admission: admission)
    }

    /// What `back` means: from a detour that was made from a place on the stack, leaving both.
    ///
    /// That place alone would only lead to the detour again, for ever.
    var operationOfBack: NavigationState.Operation {
        let intent = place?.intents.first { $0.request.operation == .reveal }
        guard let intent, let index = state.entries.firstIndex(where: { $0.id == intent.request.entry })
        else {
            return .back
        }
        return index > 0 ? .pop(to: state.entries[index - 1].id) : .root
    }

    /// Goes where guards sent somebody, without asking them again: once for each navigation is enough.
    @discardableResult
    package func take(_ detour: Detour) async throws -> Arrival {
        let request = NavigationRequest.push(detour.link.description)
        return try await navigate(
            QueuedRequest(request, link: detour.link, admission: detour.admission))
    }
}
