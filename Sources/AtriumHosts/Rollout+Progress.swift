/// The progress of a rollout, derived from its rows and the connected hosts.
extension Rollout {
    /// The seconds beyond `wait` after which an absent host counts as unreachable.
    static let patience = 30.0

    private var states: [String: Member.State] {
        Dictionary(hosts.map { ($0.identity, $0.state) }) { first, _ in first }
    }

    /// True if a host may take the build: it is in the next batch of `hosts`, and no host is missing.
    ///
    /// `hosts` are the connected ones that have the module, in the order in which they take it.
    func mayTake(_ host: String, _ order: RolloutOrder, among hosts: [String]) -> Bool {
        let states = states
        if states[host] == .taking { return true }
        guard missing(order, atWork: Set(hosts)).isEmpty || order.skipsUnreachable else { return false }
        let room = order.batch - taking(order, among: Set(hosts)).count
        return hosts.filter { states[$0] == nil }.prefix(max(0, room)).contains(host)
    }

    /// The names of hosts that the order names, or that have begun, and that can't be reached.
    func missing(_ order: RolloutOrder, atWork hosts: Set<String>) -> [String] {
        let begun = self.hosts.filter { $0.state == .taking || $0.state == .done }
        let all = order.hosts.map { ($0.identity, $0.name) } + begun.map { ($0.identity, $0.name) }
        var seen = hosts
        return all.filter { seen.insert($0.0).inserted }.map(\.1)
    }

    /// The hosts that are taking it: those connected, and those that began recently.
    private func taking(_ order: RolloutOrder, among hosts: Set<String>) -> [Member] {
        self.hosts.filter {
            $0.state == .taking && ($0.age < order.wait + Self.patience || hosts.contains($0.identity))
        }
    }

    enum End: Hashable {
        case no, done, returned
        case failed(String)
    }

    func end(_ order: RolloutOrder?, _ hosts: Set<String>) -> End {
        let states = states
        switch (state, order) {
        case (.running, let order?):
            let missing = missing(order, atWork: hosts)
            if !missing.isEmpty, !order.skipsUnreachable {
                let quiet = (self.hosts.map(\.age) + [age]).min() ?? age
                return quiet > order.wait + Self.patience ? .failed(Self.unreachable(missing)) : .no
            }
            let isDone =
                states.values.contains(.done) && hosts.allSatisfy { states[$0] == .done }
                && taking(order, among: hosts).isEmpty
            return isDone ? .done : .no
        case (.returning, _):
            let isBack = hosts.allSatisfy {
                states[$0] == nil || states[$0] == .returned || states[$0] == .failed
            }
            return isBack ? .returned : .no
        default: return .no
        }
    }

    private static func unreachable(_ names: [String]) -> String {
        "Host\(names.count == 1 ? "" : "s") \(names.joined(separator: ", ")) can't be reached."
    }
}
