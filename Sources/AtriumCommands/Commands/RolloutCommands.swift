internal import AtriumHosts
@_spi(Host) internal import AtriumKit
internal import AtriumText

/// The commands that roll a module out to all hosts on the same database.
extension HostCommands {
    @ActionsBuilder var rollouts: [Action] {
        Action(
            "module rollout",
            "Take a signed module to all hosts of the database, some at a time, or show the last rollouts",
            effect: .changes,
            Argument<String?>(
                "name",
                "The module, and '@' with a range of versions if not the newest: Notes@^1.2; or the number of "
                    + "a rollout; without it, list the last", suggestions: moduleNames), plan,
            Argument<String?>("key", "The file of a trusted minisign secret key, to sign the rollout"),
            Argument("batch", "How many hosts take it at a time", default: 1),
            Argument("wait", "Seconds that the health checks must pass on each host", default: 5.0),
            Argument("days", "Days that absent hosts may still take it", default: 7),
            Argument(
                "skip-unreachable", "Continue without unreachable hosts; they take it later",
                default: false),
            Argument("abort", "Roll back the current rollout on all hosts", default: false)
        ) { wanted, isPlan, key, batch, wait, days, skipsUnreachable, aborts in
            let worker = try await theGroup().rollouts
            guard !aborts || wanted == nil && !isPlan else {
                throw ArgumentError(
                    .invalidArgument, "'--abort' goes with no module, no rollout and no '--plan'.",
                    hint: "module rollout --abort")
            }
            if aborts {
                let ended = try await ending(of: worker.abort(), worker, goesOn: true)
                return .content(RolloutViews.detail(ended), "The rollout \(RolloutViews.words(ended.state)).")
            }
            guard let wanted else { return .content(RolloutViews.list(try await worker.rollouts(limit: 10))) }
            if let id = Int(wanted) {
                guard let rollout = try await worker.rollout(id) else {
                    throw ShellError(.notFound, "There is no rollout \(id).", hint: "module rollout")
                }
                return .content(RolloutViews.detail(rollout))
            }
            let (name, range) = try Self.release(wanted, of: "module rollout")
            guard (1...10_000).contains(batch), (0...3600).contains(wait), RolloutOrder.days.contains(days)
            else {
                throw ArgumentError(
                    .invalidArgument,
                    "'batch' must be from 1 to 10000, 'wait' from 0 to 3600 seconds, and 'days' from 1 to 365.",
                    hint: "module rollout \(name) --batch 2 --wait 10")
            }
            guard !isPlan else {
                let (version, hosts) = try await worker.plan(name, range)
                return .content(RolloutViews.plan(name, "\(version)", hosts, batch: batch))
            }
            let wishes = RolloutWishes(
                key: key, batch: batch, wait: wait, days: days, skipsUnreachable: skipsUnreachable)
            let rollout = try await worker.begin(name, range, wishes)
            return try await follow(rollout, worker, goesOn: skipsUnreachable)
        }
    }

    /// Waits until a rollout has ended; cancelling the wait does not end the rollout.
    private func follow(
        _ rollout: Rollout, _ worker: RolloutWorker, goesOn: Bool
    ) async throws -> ActionResult {
        let ended: Rollout
        do { ended = try await ending(of: rollout, worker, goesOn: goesOn) } catch let error
            as CancellationError
        {
            scene.announce(
                "The rollout continues: 'module rollout \(rollout.id)' shows it, 'module rollout --abort' ends it."
            )
            throw error
        }
        guard ended.state == .done else {
            throw ShellError(
                "rolloutFailed",
                "The rollout of \(ended.module) \(ended.version) \(RolloutViews.words(ended.state)): "
                    + "\(ended.reason ?? "-")",
                hint: "module rollout \(ended.id)", details: RolloutViews.detail(ended))
        }
        return .content(RolloutViews.detail(ended), RolloutViews.end(of: ended))
    }

    /// Waits until a rollout has ended, and reports what its hosts do meanwhile.
    ///
    /// `goesOn` says whether the others continue without a host that does not answer.
    private func ending(
        of rollout: Rollout, _ worker: RolloutWorker, goesOn: Bool
    ) async throws -> Rollout {
        var rollout = rollout
        var told: Set<[String]> = []
        var silent: Set<String> = []
        var (failures, looks) = (0, 0)
        while rollout.state.isActive {
            for host in rollout.hosts where told.insert([host.identity, host.state.rawValue]).inserted {
                scene.announce("\(host.name): \(RolloutViews.words(host.state))")
            }
            try await Task.sleep(for: .milliseconds(100))
            looks += 1
            // Hosts send a heartbeat every ten seconds, so checking once a second is enough.
            if looks.isMultiple(of: 10) {
                for host in (try? await worker.silent(in: rollout)) ?? []
                where silent.insert(host.identity).inserted {
                    let end = goesOn ? "the others continue without it" : "all go back unless it returns"
                    scene.announce("\(host.name): does not answer; after a while \(end)")
                }
            }
            do {
                guard let next = try await worker.rollout(rollout.id) else { break }
                (rollout, failures) = (next, 0)
            } catch let error as DatabaseError where error.code == .databaseUnreachable && failures < 300 {
                // The server may be restarting; the rollout then continues.
                failures += 1
            }
        }
        return rollout
    }
}

enum RolloutViews {
    static func plan(_ name: String, _ version: String, _ hosts: [SharedHost], batch: Int) -> Content {
        Content {
            if hosts.isEmpty { Notice(.information, "No connected host has module '\(name)'.") }
            Table(Array(hosts.enumerated())) {
                Column("batch") { $0.offset / batch + 1 }
                Column("host") { $0.element.name }
                Column("process") { $0.element.process }
                Column("from") { $0.element.modules.first { $0.name == name }?.version }
                Column("to") { _ in version }
            }
        }
    }

    static func list(_ rollouts: [Rollout]) -> Content {
        Content {
            if rollouts.isEmpty {
                Notice(.information, "There was no rollout yet.", hint: "help module rollout")
            }
            Table(rollouts) {
                Column("id") { $0.id }
                Column("module") { $0.module }
                Column("version") { "\($0.version)" }
                Column("state") { $0.state.rawValue }
                Column("hosts") { $0.hosts.map { "\($0.name) \(words($0.state))" }.joined(separator: ", ") }
                Column("began") { $0.began }
                Column("host", label: "By host") { $0.host }
                Column("reason") { $0.reason }
            }
        }
    }

    static func detail(_ rollout: Rollout) -> Content {
        Content {
            Table(rollout.hosts) {
                Column("host") { $0.name }
                Column("state") { $0.state.rawValue }
                Column("detail") { $0.detail }
            }
        }
    }

    static func end(of rollout: Rollout) -> String {
        let what = "\(rollout.module) \(rollout.version)"
        let without = rollout.withoutIt
        guard !without.isEmpty else { return "All hosts have \(what)." }
        let names = without.joined(separator: ", ")
        let rest = without.count == 1 ? "takes it when it answers" : "take it when they answer"
        return "All other hosts have \(what); \(names) \(rest) again."
    }

    static func words(_ state: Rollout.State) -> String {
        switch state {
        case .running: "is under way"
        case .returning: "is being undone"
        case .done: "is done"
        case .failed: "has failed"
        case .aborted: "was aborted"
        }
    }

    static func words(_ state: Rollout.Member.State) -> String {
        switch state {
        case .taking: "takes it"
        case .done: "has it"
        case .failed: "failed"
        case .returned: "has gone back"
        }
    }
}
