@_spi(Host) package import AtriumKit
internal import AtriumNavigation

extension HostCommands {
    private var coordinator: Coordinator { scene.coordinator }

    private var force: Argument<Bool> { Argument("force", "Even if screens object", default: false) }

    /// Also leaves an open question.
    package var back: Action {
        Action(
            "back", "Leave the current screen, or all above a screen on the stack", effect: .navigates,
            Argument<String?>(
                "link", "The screen to go back to", suggestions: coordinator.state.entries.map(\.link)),
            force
        ) { link, isForced in
            if let link {
                let request = NavigationRequest(.popTo, link: try Link(link).description, isForced: isForced)
                let arrival = try await coordinator.navigate(request)
                return arrival.hasMoved ? .updated : .updated("You are at '\(link)' already.")
            }
            guard coordinator.currentEntry != nil else { return .updated("You are at the root already.") }
            try await coordinator.navigate(.back.forced(isForced))
            return .updated
        }
    }

    @ActionsBuilder var navigation: [Action] {
        Action(
            "open", "Open a link", effect: .navigates,
            Argument<String>("link", "Where to go", suggestions: links)
        ) { link in
            try await go(.push(Link.toOpen(link).description))
        }
        back
        Action("forward", "Return to the screen that 'back' left", effect: .navigates) {
            let arrival = try await coordinator.navigate(.forward)
            return arrival.hasMoved ? .updated : .updated("There is nothing to go forward to.")
        }
        Action("root", "Leave all screens", effect: .navigates, force) { isForced in
            try await coordinator.navigate(.root.forced(isForced))
            return .updated
        }
        Action(
            "where", "Show the current screen, the stack and who is signed in; or where a link leads",
            effect: .reads, Argument<String?>("link", "The link to explain", suggestions: links)
        ) { text in
            guard let text else {
                // After a restart only the screen knows which link shows it.
                if coordinator.isCurrentAllowed { _ = try? coordinator.currentScreen() }
                return .content(NavigationViews.location(scene))
            }
            let link = try Link.toOpen(text)
            let module = host.screens.screen(for: link) == nil ? host.moduleOnDemand(for: link) : nil
            return .content(NavigationViews.explanation(await coordinator.explain(link), loads: module))
        }
        Action("links", "List the links of all screens", effect: .reads) {
            .content(NavigationViews.links(scene.knownLinks))
        }
        Action("actions", "List the actions of the current screen", effect: .reads) {
            try await coordinator.loadCurrentModule()
            if let arrival = try await coordinator.evaluateCurrentGuards() {
                return .updated(RedirectViews.message(arrival))
            }
            let actions = try coordinator.currentScreen()?.view.listedActions ?? []
            return .content(
                Content {
                    if actions.isEmpty {
                        Notice(.information, "'\(scene.currentLink)' has no actions.", hint: "links")
                    }
                    ActionViews.numbered(actions)
                })
        }
        Action(
            "nav replace", "Replace the current screen by a link, or the stack by several",
            effect: .navigates, Argument<[String]>("link", "Where to go", suggestions: links),
            Argument("all", "Replace the whole stack even by a single link", default: false), force
        ) { links, isAll, isForced in
            let links = try links.map { try Link.toOpen($0).description }
            guard links.count > 1 || isAll else {
                return try await go(NavigationRequest(.replace, link: links[0], isForced: isForced))
            }
            return try await go(NavigationRequest(.replaceAll, links: links, isForced: isForced))
        }
        Action("nav alive", "List the view models that are alive, and why", effect: .reads) {
            .content(NavigationViews.alive(coordinator.alive))
        }
    }

    private func go(_ request: NavigationRequest) async throws -> ActionResult {
        do {
            return .updated(RedirectViews.message(try await coordinator.navigate(request)))
        } catch let error as NavigationError where error.code == .unknownLink {
            throw try request.link.map(Link.init).flatMap(host.reasonAgainst) ?? error
        }
    }
}
