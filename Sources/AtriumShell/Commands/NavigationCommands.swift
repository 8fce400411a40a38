@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumNavigation

/// The commands that move between screens.
@MainActor
struct NavigationCommands {
    let host: ShellHost
    /// The links that completion offers.
    let links: [String]

    /// What people use all day.
    var all: [Action] { [open, back, forward, pop, root, whereAmI, link, list] }

    /// `nav …`: the other operations on the stack, and what explains it.
    var nav: [Action] {
        [replace, front, present, dismiss, explain, alive, journal, replay]
    }

    private var coordinator: Coordinator { host.coordinator }

    private var open: Action {
        Action(
            "open", "Open a link", effect: .navigates,
            Argument<String>("link", "Where to go", suggestions: links)
        ) { link in
            try await go(.push(Link(link).description))
        }
    }

    private var back: Action {
        Action(
            "back", "Leave the current screen", effect: .navigates,
            Argument("force", "Even if the screen objects", default: false)
        ) { isForced in
            guard coordinator.currentEntry != nil else { return .updated("You are at the root already.") }
            try await coordinator.navigate(.back.forced(isForced))
            return .updated
        }
    }

    private var forward: Action {
        Action("forward", "Return to the screen that 'back' left", effect: .navigates) {
            let arrival = try await coordinator.navigate(.forward)
            return arrival.hasMoved ? .updated : .updated("There is nothing to go forward to.")
        }
    }

    private var pop: Action {
        Action(
            "pop", "Go back to a screen on the stack", effect: .navigates,
            Argument<String>("link", "The screen", suggestions: coordinator.state.entries.map(\.link)),
            Argument("force", "Even if screens object", default: false)
        ) { link, isForced in
            let request = NavigationRequest(.popTo, link: try Link(link).description, isForced: isForced)
            let arrival = try await coordinator.navigate(request)
            return arrival.hasMoved ? .updated : .updated("You are at '\(link)' already.")
        }
    }

    private var root: Action {
        Action(
            "root", "Leave all screens", effect: .navigates,
            Argument("force", "Even if screens object", default: false)
        ) { isForced in
            try await coordinator.navigate(.root.forced(isForced))
            return .updated
        }
    }

    private var replace: Action {
        Action(
            "nav replace", "Replace the current screen by a link, or the stack by several",
            effect: .navigates,
            Argument<[String]>("link", "Where to go", suggestions: links),
            Argument("all", "Replace the whole stack even by a single link", default: false),
            Argument("force", "Even if screens object", default: false)
        ) { links, isAll, isForced in
            let links = try links.map { try Link($0).description }
            guard links.count > 1 || isAll else {
                return try await go(NavigationRequest(.replace, link: links[0], isForced: isForced))
            }
            return try await go(NavigationRequest(.replaceAll, links: links, isForced: isForced))
        }
    }

    private var front: Action {
        Action(
            "nav front", "Go back to a link if it is on the stack, else open it", effect: .navigates,
            Argument<String>("link", "Where to go", suggestions: links)
        ) { link in
            try await go(NavigationRequest(.bringToFront, link: Link(link).description))
        }
    }

    private var present: Action {
        Action(
            "nav present", "Present a link and print the result that it returns", effect: .navigates,
            Argument<String>("link", "What to present", suggestions: links)
        ) { link in
            let result = try await coordinator.present(PresentedItem(link: Link(link).description))
            guard let json = result.json else { return .updated("No result.") }
            return .updated("Result: \(json)")
        }
    }

    private var dismiss: Action {
        Action(
            "nav dismiss", "Dismiss the screen that was presented last", effect: .navigates,
            Argument<String?>("result", "The result, as JSON"),
            Argument("force", "Even if screens object", default: false)
        ) { json, isForced in
            if let json, (try? LocatedJSON(parsing: Array(json.utf8))) == nil {
                throw ArgumentError(
                    .invalidArgument, "'result' of 'nav dismiss' must be JSON, not '\(json)'.")
            }
            try await coordinator.navigate(
                NavigationRequest(.dismiss, result: PresentedResult(json: json), isForced: isForced))
            return .updated
        }
    }

    private func go(_ request: NavigationRequest) async throws -> ActionResult {
        do {
            return .updated(RedirectViews.message(try await coordinator.navigate(request)))
        } catch let error as NavigationError where error.code == .unknownLink {
            throw try request.link.map(Link.init).flatMap(host.reasonAgainst) ?? error
        }
    }

    private var whereAmI: Action {
        Action("where", "Show the current screen, the stack and who is signed in", effect: .reads) {
            .content(NavigationViews.location(host))
        }
    }

    private var link: Action {
        Action("link", "Print the link of what is shown now", effect: .reads) {
            let link = try coordinator.currentLink()
            return .content(Content { Field("link", link) })
        }
    }

    private var list: Action {
        Action("links", "List the links of all screens", effect: .reads) {
            .content(NavigationViews.links(host.knownLinks))
        }
    }

    // MARK: - Explaining

    private var explain: Action {
        Action(
            "nav explain", "Explain where a link leads, without opening it",
            effect: .reads, Argument<String>("link", "The link", suggestions: links)
        ) { link in
            let link = try Link(link)
            let module = host.screens.screen(for: link) == nil ? host.moduleOnDemand(for: link) : nil
            return .content(NavigationViews.explanation(await coordinator.explain(link), loads: module))
        }
    }

    private var alive: Action {
        Action("nav alive", "List the view models that are alive, and why", effect: .reads) {
            .content(NavigationViews.alive(coordinator.alive))
        }
    }

    private var journal: Action {
        Action(
            "nav journal", "List navigation requests; 'nav replay' takes its --json",
            effect: .reads, Argument("limit", "The most recent ones to list", default: 50),
            Argument("clear", "Clear the journal afterwards", default: false)
        ) { limit, clears in
            let records = coordinator.journal.records
            if clears { coordinator.journal.clear() }
            return .content(NavigationViews.journal(records.suffix(max(0, limit))))
        }
    }

    private var replay: Action {
        Action(
            "nav replay", "Repeat the requests of a journal, from the root", effect: .navigates,
            Argument<String>("file", "What 'nav journal' printed with --json"),
            Argument("force", "Even if screens object", default: false)
        ) { file, isForced in
            let report = try await coordinator.replay(try JournalFile.read(file), isForced: isForced)
            return .content(NavigationViews.replay(report))
        }
    }
}
