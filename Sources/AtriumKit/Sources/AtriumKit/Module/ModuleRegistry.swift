/// The registrations of a module, for the generation that is being loaded.
///
/// Nothing is built or visible until the host has checked everything. Factories run on the main actor, on
/// first use. Two registrations of one type need different names.
@MainActor
public final class ModuleRegistry {
    private let scope: ModuleScope
    private let proxies: [ServiceProxy]
    private var registered: [Registration] = []
    /// All registered screens, in order; those of modules that are absent, too.
    @_spi(Host) public private(set) var declaredScreens: [ScreenRegistration] = []
    /// The modules that the registrations being made are bound to; see ``whilePresent(_:_:)``.
    private var needs: [String] = []
    /// The modules that registrations are bound to.
    @_spi(Host) public private(set) var boundTo: Set<String> = []
    /// Those of them that are present; the host sets it.
    @_spi(Host) public var present: Set<String> = []
    private var patterns: Set<LinkPattern> = []
    private var declaredStories: [StoryRegistration] = []
    /// Make the stories of records, which a start does not need.
    private var recordStories: [() -> [StoryRegistration]] = []
    private var keys = KeyIndex()
    /// The number of contributions to each list.
    private var contributions: [RegistrationKey: Int] = [:]
    /// Errors in the registrations themselves; with a finding, none of them may be added.
    @_spi(Host) public private(set) var findings: [RegistrationError] = []
    /// The registered seeds, in order.
    @_spi(Host) public var seeds: [ModuleSeed] { declaredSeeds.filter { has($0.needs) } }
    private var declaredSeeds: [ModuleSeed] = []
    private var isClosed = false
    let recordReferences = RecordReferences()

    /// Creates a registry; `proxies` are those of the services that will be registered.
    @_spi(Host) public init(scope: ModuleScope, proxies: [ServiceProxy] = []) {
        self.scope = scope
        self.proxies = proxies
    }

    /// The names of the registered types, except screens and contributions.
    @_spi(Host) public var providedNames: Set<String> {
        Set(
            registered.filter { $0.key.layer != .screen && $0.key.layer != .contribution }
                .map { RegistrationKey.name(of: $0.key.type) })
    }

    /// The names of the infrastructure protocols that the module provides.
    @_spi(Host) public var infrastructureNames: [String] {
        registered.filter { $0.key.layer == .infrastructure }.map { RegistrationKey.name(of: $0.key.type) }
    }

    /// Registers the screen of a destination.
    ///
    /// The build reads its pattern and its documentation from the code, for the manifest; if `module.json`
    /// lists the screens, this one must be among them.
    public func screen<Shown: Destination, Body: View>(
        _ destination: Shown.Type,
        _ factory: @escaping @MainActor (borrowing ScreenContext<Shown>) throws -> Body
    ) {
        let pattern = Shown.pattern
        guard patterns.insert(pattern).inserted else {
            findings.append(.duplicateScreen(pattern.description, module: scope.name))
            return
        }
        if let problem = pattern.problem(for: destination) {
            findings.append(.badPattern(pattern, module: scope.name, problem))
            return
        }
        let registration = Registration(RegistrationKey(Shown.self, .screen), owner: scope, .screen)
        add(registration)
        let screen = ScreenRegistration(destination, registration: registration, factory: factory)
        screen.needs = needs
        declaredScreens.append(screen)
    }

    /// Adds a story that the module declares; it replaces a record's of the same name.
    func add(_ story: Story, _ destination: @escaping @MainActor @Sendable () -> (any Destination)?) {
        guard !isClosed else { return }
        guard !story.slug.isEmpty, Self.isName(story.name) else {
            return findings.append(.badStory(story.name, module: scope.name))
        }
        guard !declaredStories.contains(where: { $0.story.slug == story.slug }) else {
            return findings.append(.duplicateStory(story.name, module: scope.name))
        }
        declaredStories.append(
            StoryRegistration(module: scope.name, story: story) { [weak self, needs] in
                self?.has(needs) == true ? destination() : nil
            })
    }

    /// Adds the stories of a record, which are made when they are asked for.
    func addStories(_ make: @escaping (_ module: String) -> [StoryRegistration]) {
        recordStories.append { [unowned self, needs] in has(needs) ? make(scope.name) : [] }
    }

    /// The stories of records, then those that the module declares, each name once.
    @_spi(Host) public var stories: [StoryRegistration] {
        var slugs = Set(declaredStories.map(\.story.slug))
        return recordStories.flatMap { $0() }.filter { slugs.insert($0.story.slug).inserted }
            + declaredStories
    }

    /// The names of the fields of its records that are secret.
    @_spi(Host) public var secretFields: Set<String> { Set(recordReferences.secretFields) }

    /// Adds an element to a list that any module may read.
    ///
    /// Lower orders come first; equal ones are sorted by module name, then by registration.
    public func contribute<Element>(
        to point: ContributionPoint<Element>, order: Int = 0, lifetime: Lifetime = .shared,
        _ factory: @escaping @MainActor (borrowing ContributionContext) throws -> Element
    ) {
        contributeIfPresent(to: point, order: order, lifetime: lifetime, factory)
    }

    /// Adds an element to a list while there is one: nil adds none.
    ///
    /// ```swift
    /// registry.contributeIfPresent(to: .healthChecks) { context in
    ///     try context.useCaseIfPresent((any FindProducts).self).map { PriceCheck(products: $0) }
    /// }
    /// ```
    ///
    /// The factory runs again when what it looked up comes, changes or goes.
    public func contributeIfPresent<Element>(
        to point: ContributionPoint<Element>, order: Int = 0, lifetime: Lifetime = .shared,
        _ factory: @escaping @MainActor (borrowing ContributionContext) throws -> Element?
    ) {
        let number = contributions[point.key, default: 0] + 1
        contributions[point.key] = number
        add(
            Registration(
                RegistrationKey(Element.self, .contribution, named: "\(point.name), \(scope.name) \(number)"),
                owner: scope, lifetime: lifetime,
                membership: Registration.Membership(list: point.key, order: order), make: factory))
    }

    /// Ignores further registrations: `register(in:)` has returned.
    @_spi(Host) public func close() {
        for (record, problem) in recordReferences.problems { refuse(record, problem) }
        isClosed = true
    }

    func add(_ registration: Registration) {
        guard !isClosed else {
            scope.infrastructure.logger.error(
                "\(registration.key.name) was registered after register(in:) had returned, which does nothing."
            )
            return
        }
        check(registration.key)
        registration.index = registered.count
        registration.needs = needs
        registered.append(registration)
    }

    func add(_ seed: ModuleSeed) {
        guard Self.isName(seed.name), !declaredSeeds.contains(where: { $0.name == seed.name }) else {
            findings.append(.badSeed(seed.name, module: scope.name))
            return
        }
        declaredSeeds.append(seed)
        declaredSeeds[declaredSeeds.count - 1].needs = needs
    }

    /// Refuses the registrations for a mistake in a record's declaration.
    func refuse(_ record: any Any.Type, _ problem: String) {
        findings.append(.badRecord(record, module: scope.name, problem))
    }

    private static func isName(_ label: String) -> Bool {
        !label.isEmpty && label.utf8.count <= 200
            && !label.unicodeScalars.contains {
                $0.isASCII ? $0.value < 32 || $0.value == 127 : $0.properties.generalCategory == .control
            }
    }

    private func check(_ key: RegistrationKey) {
        if let label = key.label, !Self.isName(label) { findings.append(.badName(key, module: scope.name)) }
        if key.type == SessionWriter.self { findings.append(.notRegistrable(key, module: scope.name)) }
        guard !keys.numberInserting(key).isNew else { return }
        findings.append(.duplicate(key, module: scope.name, presentModule: scope.name))
    }

    /// Registers what is there only while a module is, one of those in `"uses"` of the manifest.
    ///
    /// ```swift
    /// registry.whilePresent("Rates") {
    ///     registry.viewModel(OfferViewModel.self) { OfferViewModel(rates: try $0.repository()) }
    ///     registry.screen(OfferDestination.self) { OfferView(viewModel: try $0.viewModel()) }
    /// }
    /// ```
    ///
    /// Without the module, or with a version that does not fit, none of it is registered: a screen has no link,
    /// and its link says why. The factories look up what the module registers as if it were required.
    public func whilePresent(_ module: String, _ register: () throws -> Void) rethrows {
        let outer = needs
        defer { needs = outer }
        boundTo.insert(module)
        needs.append(module)
        try register()
    }

    /// The registrations while some of the modules that they are bound to are present.
    func registrations(with present: Set<String>) -> [Registration] {
        isBound ? registered.filter { present.isSuperset(of: $0.needs) } : registered
    }

    func register<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, named name: String?, _ lifetime: Lifetime,
        _ factory: @escaping @MainActor (borrowing Context) throws -> Value
    ) {
        add(
            Registration(
                RegistrationKey(Value.self, Context.layer, named: name), owner: scope, lifetime: lifetime,
                make: factory))
    }

    func registerWithArguments<Context: LayerContext & ~Copyable, Value, each Argument>(
        _ type: Value.Type,
        _ factory: @escaping @MainActor (borrowing Context, repeat each Argument) throws -> Value
    ) {
        add(
            Registration(
                RegistrationKey(Value.self, Context.layer), owner: scope,
                .arguments(ArgumentFactory<Context, Value, repeat each Argument>(factory))))
    }

    func registerService<Service>(
        _ type: Service.Type, named name: String?, _ lifetime: Lifetime,
        live: (@MainActor (borrowing ServiceContext) throws -> Service)?,
        local: (@MainActor (borrowing ServiceContext) throws -> Service)?,
        mock: @escaping @MainActor (borrowing ServiceContext) throws -> Service, proxy: ServiceProxy? = nil
    ) {
        add(
            Registration(
                RegistrationKey(Service.self, .service, named: name), owner: scope, lifetime: lifetime,
                alternatives: Registration.Alternatives(
                    live: live.map { ErasedFactory($0) }, local: local.map { ErasedFactory($0) }),
                // The list of named services of one type has no name: the type is its identity.
                membership: name.map { _ in
                    Registration.Membership(list: RegistrationKey(Service.self, .list), order: 0)
                },
                proxy: proxy ?? self.proxy(of: Service.self), make: mock))
    }

    private func proxy(of type: any Any.Type) -> ServiceProxy? {
        guard !proxies.isEmpty else { return nil }
        if let proxy = proxies.first(where: { $0.type == type }) { return proxy }
        let others = proxies.filter { $0.type == nil }
        guard !others.isEmpty else { return nil }
        let name = RegistrationKey.name(of: type)
        return others.first { $0.name == name }
    }
}
