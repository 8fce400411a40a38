/// A list that several modules add to, and that any of them may read.
///
/// ```swift
/// extension ContributionPoint where Element == any Exporter {
///     static let exporters = ContributionPoint("exporters")
/// }
/// ```
public struct ContributionPoint<Element>: Sendable {
    /// The name of the list.
    public let name: String

    /// Creates a point; points with the same name are the same list, and have the same type of element.
    public init(_ name: String) {
        self.name = name
    }

    var key: RegistrationKey { RegistrationKey(Element.self, .list, named: name) }
}

/// An element of a list, with the module that added it.
public struct Contribution<Element> {
    /// The module that added it.
    public let module: String
    /// The order among the elements; lower ones come first.
    public let order: Int
    /// The element itself, as the module's factory built it.
    public let value: Element
}

extension Contribution: Sendable where Element: Sendable {}

extension Container {
    /// Builds the contributions to `point`, in order, each as a value or an error: one that fails, or has
    /// another type of element, does not hide the others.
    public func contributionResults<Element>(
        to point: ContributionPoint<Element>
    ) -> [(module: String, element: Result<Contribution<Element>, any Error>)] {
        contributionResults(to: point, for: Request(container: self, scope: nil))
    }

    private func contributionResults<Element>(
        to point: ContributionPoint<Element>, for request: Request
    ) -> [(module: String, element: Result<Contribution<Element>, any Error>)] {
        let list = visibleSlot(point.key)
        request.add(list, .contributions)
        return members(of: point.key).compactMap { member in
            guard let module = member.registration?.owner.name else { return nil }
            let contribution: Result<Contribution<Element>?, any Error> = Result {
                try self.contribution(member, in: list, for: request)
            }
            switch contribution {
            case .success(nil): return nil
            case .success(let element?): return (module, .success(element))
            case .failure(let error): return (module, .failure(error))
            }
        }
            + namesakes(of: point.key).map {
                ($0.owner.name, .failure(ResolutionError.otherElement(point.key, request.scope, $0)))
            }
    }

    /// The contributions to lists of this name whose elements have another type; none for a list without a name.
    func namesakes(of point: RegistrationKey) -> [Registration] {
        guard point.label != nil else { return [] }
        return memberLists.filter { $0.label == point.label && $0.type != point.type }
            .flatMap { members(of: $0).compactMap(\.registration) }
    }

    private var memberLists: Set<RegistrationKey> { Set(members.keys).union(parent?.memberLists ?? []) }

    /// The errors of lists of one name whose elements have several types, each with its module; lists that have
    /// members, or that something was built from.
    @_spi(Host) public var mismatchedContributions: [(module: String, error: ResolutionError)] {
        let used = table.slots.lazy.map(\.key).filter { $0.layer == .list }
        return memberLists.union(used).flatMap { list in
            let users = members(of: list) + (table.slot(list)?.dependents ?? [])
            return namesakes(of: list).flatMap { other in
                users.compactMap(\.registration).map {
                    ($0.owner.name, ResolutionError.otherElement(list, $0.owner, other))
                }
            }
        }.sorted { $0.0 < $1.0 }
    }

    /// An element; nil if its factory makes none now.
    private func contribution<Element>(
        _ member: Slot, in list: Slot, for request: Request
    ) throws -> Contribution<Element>? {
        let (slot, registration) = try slot(for: member.key, request, checksAccess: false)
        list.add(SlotEdge(target: slot, kind: .contributions))
        let value: Element? =
            try self.value(of: registration, in: slot, ContributionContext.self, for: request)
        return value.map {
            Contribution(
                module: registration.owner.name, order: registration.membership?.order ?? 0, value: $0)
        }
    }

    func contributions<Element>(
        to point: ContributionPoint<Element>, for request: Request
    ) throws -> [Contribution<Element>] {
        try contributionResults(to: point, for: request).map { try $0.element.get() }
    }

    func members(of point: RegistrationKey) -> [Slot] {
        let inherited = parent?.members(of: point) ?? []
        let own = members[point] ?? []
        guard !inherited.isEmpty else { return own }
        return (inherited.filter { table.slot($0.key)?.isOverride != true } + own).sorted(by: Self.precedes)
    }

    /// True if a contribution comes before another: by order, then by module, then as registered.
    static func precedes(_ left: Slot, _ right: Slot) -> Bool {
        guard let first = left.registration, let second = right.registration else { return false }
        return (first.membership?.order ?? 0, first.owner.name, first.index)
            < (second.membership?.order ?? 0, second.owner.name, second.index)
    }
}
