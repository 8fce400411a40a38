@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumNavigation

/// The commands that move between places.
@MainActor
struct NavigationCommands {
    let host: ShellHost

    /// What people use all day.
    var all: [Action] { [open, back, forward, pop, root, whereAmI, link, links] }

    /// The other operations on the stack, and what explains it: `nav …`.
    var nav: [Action] {
        [replace, front, present, dismiss, explain, alive, journal, replay]
    }

    private var coordinator: Coordinator { host.coordinator }

    // MARK: - Moving

    private var open: Action {
        Action(
            "open", "Goes to the place of a link", effect: .navigates,
            Argument<String>("link", "Where to go", suggestions: host.linkSuggestions)
        ) { link in
            try await go(.push(Link(link).description))
        }
    }

    private var back: Action {
        Action(
            "back", "Leaves the current place", effect: .navigates,
            Argument("force", "Also where the screen objects", default: false)
        ) { isForced in
            guard coordinator.currentEntry != nil else { return .updated("You are at the root already.") }
            try await coordinator.navigate(.back.forced(isForced))
            return .updated
        }
    }

    private var forward: Action {
        Action("forward", "Returns to the place that 'back' left", effect: .navigates) {
            let arrival = try await coordinator.navigate(.forward)
            return arrival.hasMoved ? .updated : .updated("There is no place to go forward to.")
        }
    }

    private var pop: Action {
        Action(
            "pop", "Goes back to a place on the stack", effect: .navigates,
            Argument<String>("link", "The place", suggestions: coordinator.state.entries.map(\.link)),
            Argument("force", "Also where screens object", default: false)
        ) { link, isForced in
            let request = NavigationRequest(.popTo, link: try Link(link).description, isForced: isForced)
            let arrival = try await coordinator.navigate(request)
            return arrival.hasMoved ? .updated : .updated("You are at '\(link)' already.")
        }
    }

    private var root: Action {
        Action(
            "root", "Leaves all places", effect: .navigates,
            Argument("force", "Also where screens object", default: false)
        ) { isForced in
            try await coordinator.navigate(.root.forced(isForced))
            return .updated
        }
    }

    private var replace: Action {
        Action(
            "nav replace", "Makes the places of these links the whole stack, or one the current place",
            effect: .navigates,
            Argument<[String]>("link", "Where to go", suggestions: host.linkSuggestions),
            Argument("all", "Replaces the whole stack also by a single place", default: false),
            Argument("force", "Also where screens object", default: false)
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
            "nav front", "Goes to a place: the one that is on the stack, where there is one",
            effect: .navigates,
            Argument<String>("link", "Where to go", suggestions: host.linkSuggestions)
        ) { link in
            try await go(NavigationRequest(.bringToFront, link: Link(link).description))
        }
    }

    private var present: Action {
        Action(
            "nav present", "Presents a place over the current one, and tells what comes back",
            effect: .navigates,
            Argument<String>("link", "What to present", suggestions: host.linkSuggestions)
        ) { link in
            let result = try await coordinator.present(PresentedItem(link: Link(link).description))
            guard let json = result.json else { return .updated("Nothing came back.") }
            return .updated("Came back: \(json)")
        }
    }

    private var dismiss: Action {
        Action(
            "nav dismiss", "Leaves what was presented last", effect: .navigates,
            Argument<String?>("result", "What comes back, as JSON"),
            Argument("force", "Also where screens object", default: false)
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
            return .updated(DetourViews.message(try await coordinator.navigate(request)))
        } catch let error as NavigationError where error.code == .unknownLink {
            throw try request.link.map(Link.init).flatMap(host.reasonAgainst) ?? error
        }
    }

    // MARK: - Where one is

    private var whereAmI: Action {
        Action("where", "Shows where you are and who you are", effect: .reads) {
            .content(NavigationViews.place(host))
        }
    }

    private var link: Action {
        Action(
            "link", "Prints the current place as a link that opens it again, with what it shows now",
            effect: .reads
        ) {
            let link = try coordinator.currentLink()
            return .content(Content { Field("link", link) })
        }
    }

    private var links: Action {
        Action("links", "Lists the links of all screens", effect: .reads) {
            .content(NavigationViews.links(host.knownLinks))
        }
    }

    // MARK: - Explaining

    private var explain: Action {
        Action(
            "nav explain", "Tells where a link leads and why; goes nowhere and loads nothing",
            effect: .reads, Argument<String>("link", "The link", suggestions: host.linkSuggestions)
        ) { link in
            let link = try Link(link)
            let module = host.screens.screen(for: link) == nil ? host.moduleOnDemand(for: link) : nil
            return .content(NavigationViews.explanation(await coordinator.explain(link), loads: module))
        }
    }

    private var alive: Action {
        Action("nav alive", "Lists the view models that are alive, and why", effect: .reads) {
            .content(NavigationViews.alive(coordinator.alive))
        }
    }

    private var journal: Action {
        Action(
            "nav journal",
            "Lists what was asked of the stack; with --json in the form that 'nav replay' takes",
            effect: .reads, Argument("limit", "How many at most, the newest", default: 50),
            Argument("clear", "Forgets it afterwards", default: false)
        ) { limit, clears in
            let records = coordinator.journal.records
            if clears { coordinator.clearJournal() }
            return .content(NavigationViews.journal(records.suffix(max(0, limit))))
        }
    }

    private var replay: Action {
        Action(
            "nav replay", "Asks of the stack again what a journal lists, from the root", effect: .navigates,
            Argument<String>("file", "A file with what 'nav journal' prints with --json"),
            Argument("force", "Also where screens object", default: false)
        ) { file, isForced in
            let report = try await coordinator.replay(try JournalFile.read(file), isForced: isForced)
            return .content(NavigationViews.replay(report))
        }
    }
}
