@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumNavigation

extension HostCommands {
    private var coordinator: Coordinator { scene.coordinator }

    private func force(_ summary: String = "Even if screens object") -> Argument<Bool> {
        Argument("force", summary, default: false)
    }

    private func link(_ summary: String = "Where to go") -> Argument<String> {
        Argument("link", summary, suggestions: links)
    }

    @ActionsBuilder var navigation: [Action] {
        Action("open", "Open a link", effect: .navigates, link()) { link in
            try await go(.push(Link(link).description))
        }
        Action("back", "Leave the current screen", effect: .navigates, force("Even if the screen objects")) {
            guard coordinator.currentEntry != nil else { return .updated("You are at the root already.") }
            try await coordinator.navigate(.back.forced($0))
            return .updated
        }
        Action("forward", "Return to the screen that 'back' left", effect: .navigates) {
            let arrival = try await coordinator.navigate(.forward)
            return arrival.hasMoved ? .updated : .updated("There is nothing to go forward to.")
        }
        Action(
            "pop", "Go back to a screen on the stack", effect: .navigates,
            Argument<String>("link", "The screen", suggestions: coordinator.state.entries.map(\.link)),
            force()
        ) { link, isForced in
            let request = NavigationRequest(.popTo, link: try Link(link).description, isForced: isForced)
            let arrival = try await coordinator.navigate(request)
            return arrival.hasMoved ? .updated : .updated("You are at '\(link)' already.")
        }
        Action("root", "Leave all screens", effect: .navigates, force()) { isForced in
            try await coordinator.navigate(.root.forced(isForced))
            return .updated
        }
        Action("where", "Show the current screen, the stack and who is signed in", effect: .reads) {
            .content(NavigationViews.location(scene))
        }
        Action("link", "Print the link of what is shown now", effect: .reads) {
            let link = try coordinator.currentLink()
            return .content(Content { Field("link", link) })
        }
        Action("links", "List the links of all screens", effect: .reads) {
            .content(NavigationViews.links(scene.knownLinks))
        }
        Action("actions", "List the actions of the current screen", effect: .reads) {
            try await coordinator.loadCurrentModule()
            if let arrival = try await coordinator.evaluateCurrentGuards() {
                return .updated(RedirectViews.message(arrival))
            }
            let actions = try coordinator.currentScreen()?.view.actions ?? []
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
            Argument("all", "Replace the whole stack even by a single link", default: false), force()
        ) { links, isAll, isForced in
            let links = try links.map { try Link($0).description }
            guard links.count > 1 || isAll else {
                return try await go(NavigationRequest(.replace, link: links[0], isForced: isForced))
            }
            return try await go(NavigationRequest(.replaceAll, links: links, isForced: isForced))
        }
        Action(
            "nav front", "Go back to a link if it is on the stack, else open it", effect: .navigates, link()
        ) { link in
            try await go(NavigationRequest(.bringToFront, link: Link(link).description))
        }
        Action(
            "nav present", "Present a link and print the result that it returns", effect: .navigates,
            link("What to present")
        ) { link in
            let result = try await coordinator.present(PresentedItem(link: Link(link).description))
            guard let json = result.json else { return .updated("No result.") }
            return .updated("Result: \(json)")
        }
        Action(
            "nav dismiss", "Dismiss the screen that was presented last", effect: .navigates,
            Argument<String?>("result", "The result, as JSON"), force()
        ) { json, isForced in
            if let json, (try? LocatedJSON(parsing: Array(json.utf8))) == nil {
                throw ArgumentError(
                    .invalidArgument, "'result' of 'nav dismiss' must be JSON, not '\(json)'.")
            }
            if let json, let type = coordinator.expectedResult(insteadOf: json) {
                throw ArgumentError(
                    .invalidArgument, "'result' of 'nav dismiss' must be \(type) as JSON, not '\(json)'.",
                    hint: "nav dismiss")
            }
            try await coordinator.navigate(
                NavigationRequest(.dismiss, result: PresentedResult(json: json), isForced: isForced))
            return .updated
        }
        Action(
            "nav restore-state", "Give the current screen its state from another build of its module",
            effect: .changes
        ) {
            try coordinator.restoreEarlierState()
            return .updated
        }
        Action(
            "nav explain", "Explain where a link leads, without opening it", effect: .reads, link("The link")
        ) { link in
            let link = try Link(link)
            let module = host.screens.screen(for: link) == nil ? host.moduleOnDemand(for: link) : nil
            return .content(NavigationViews.explanation(await coordinator.explain(link), loads: module))
        }
        Action(
            "nav waiting", "List the links that are announced once a module has them, or forget them",
            effect: .changes,
            Argument<String?>("link", "Only this one", suggestions: coordinator.waitingLinks.map(\.link)),
            Argument("drop", "Forget them", default: false)
        ) { text, drops in
            let link = try text.map { try Link($0).description }
            let waiting = coordinator.waitingLinks.filter { link == nil || $0.link == link }
            if let link, waiting.isEmpty {
                throw ArgumentError(.notFound, "'\(link)' does not wait for a module.", hint: "nav waiting")
            }
            guard drops else { return .content(NavigationViews.waiting(waiting)) }
            let count = coordinator.dropWaitingLinks(link)
            let forgotten = waiting.map { "'\($0.link)'" }.joined(separator: ", ")
            return .content(
                NavigationViews.waiting(coordinator.waitingLinks),
                count == 0 ? "No link waits for its module." : "Forgot \(forgotten).")
        }
        Action(
            "nav graph", "Draw the stacks of all scenes, and the screens that they show", effect: .reads,
            dotSwitch, svgSwitch
        ) { isDOT, isSVG in
            let drawing = NavigationDrawing(host, at: scene)
            return try await graph(drawing.text, drawing.dot, isDOT, isSVG)
        }
        Action("nav alive", "List the view models that are alive, and why", effect: .reads) {
            .content(NavigationViews.alive(coordinator.alive))
        }
        Action(
            "nav journal", "List navigation requests; 'nav replay' takes its --json", effect: .reads,
            Argument("limit", "The most recent ones to list", default: 50),
            Argument("clear", "Clear the journal afterwards", default: false)
        ) { limit, clears in
            guard limit > 0 else {
                throw ArgumentError(
                    .invalidArgument, "'limit' of 'nav journal' must be 1 or more, not '\(limit)'.",
                    hint: "nav journal --limit 50")
            }
            let records = coordinator.journal.records
            if clears { coordinator.journal.clear() }
            return .content(NavigationViews.journal(records.suffix(limit)))
        }
        Action(
            "nav replay", "Repeat the requests of a journal, from the root", effect: .navigates,
            Argument<InputFile>("file", "What 'nav journal' printed with --json"), force()
        ) { file, isForced in
            let report = try await coordinator.replay(
                try await JournalFile.read(file.path), isForced: isForced)
            return .content(NavigationViews.replay(report))
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
