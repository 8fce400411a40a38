extension Slot {
    /// The value of a registration whose factory `make` runs: the one that lives already, or a new one.
    func value<Value>(
        of registration: Registration, for request: Request, _ make: (ContextCore) throws -> Value
    ) throws -> Value {
        if let box {
            openIfAllowed(request)
            return unsafeDowncast(box, to: ValueBox<Value>.self).value
        }
        let entry = registration.lifetime == .entry ? try self.entry(for: request) : nil
        if let box = entry?.box(of: self) { return unsafeDowncast(box, to: ValueBox<Value>.self).value }
        let value = try build(registration, for: request, make)
        hasSucceeded = true
        switch registration.lifetime {
        case .shared:
            keep(ValueBox(value))
            container.promote(self)
        case .entry: entry?.keep(ValueBox(value), of: self)
        case .transient: break
        }
        openIfAllowed(request)
        return value
    }

    /// The stack entry that a value of lifetime `entry` is built for.
    private func entry(for request: Request) throws -> EntryScope {
        if let captor = request.captor { throw ResolutionError.wrongLifetime(key, captor: captor.key) }
        guard let entry = container.ambient.entry else { throw ResolutionError.noEntry(key) }
        return entry
    }

    private func build<Value>(
        _ registration: Registration, for request: Request, _ make: (ContextCore) throws -> Value
    ) throws -> Value {
        let before = cell.pointee.state
        guard before != .building else { throw ResolutionError.cycle(key) }
        guard request.depth < Request.greatestDepth else { throw ResolutionError.tooDeep(key) }
        cell.pointee.state = .building
        defer { if cell.pointee.state == .building { cell.pointee.state = before } }
        beginRecording(registration)
        let inner = request.forFactory(of: self, registration)
        do {
            guard let trace = container.ambient.trace else { return try make(inner.core) }
            return try trace.measure(self, registration) { try make(inner.core) }
        } catch {
            throw ResolutionError.passing(error, through: key)
        }
    }

    /// Lets inlined code use what was built, where the request sees the slot's own container.
    private func openIfAllowed(_ request: Request) {
        guard container.allowsInlining else { return }
        if request.container === container || request.container.isTransparent { open() }
    }

    // MARK: - Factories that are awaited

    /// The value of a registration whose factory is awaited; those who want the shared one await one build.
    func value<Context: LayerContext & ~Copyable, Value>(
        of registration: Registration, _ factory: AsynchronousFactory<Context, Value>, for request: Request
    ) async throws -> Value {
        if let box { return unsafeDowncast(box, to: ValueBox<Value>.self).value }
        guard registration.lifetime == .shared else {
            return try await build(registration, factory, for: request)
        }
        var slot = self
        while true {
            let flight = (slot.flight as? Flight<Value>) ?? slot.start(registration, factory, for: request)
            let outcome = await flight.outcome(for: request)
            // The state that the request sees may have passed meanwhile, and kept the build with it.
            slot = request.container.find(key) ?? slot
            if outcome.isEnd { return try outcome.get() }
            if slot.owns(flight) {
                do { return try outcome.get() } catch { throw ResolutionError.passing(error, through: key) }
            }
            // It began in an earlier state, and what has changed since makes a difference to it.
            if slot.flight === flight { slot.flight = nil }
            if let box = slot.box { return unsafeDowncast(box, to: ValueBox<Value>.self).value }
        }
    }

    /// Whether what came of a build is what is to be handed out here.
    private func owns(_ flight: AnyFlight) -> Bool {
        flight.slot === self || flight.isPresent
    }

    private func start<Context: LayerContext & ~Copyable, Value>(
        _ registration: Registration, _ factory: AsynchronousFactory<Context, Value>, for request: Request
    ) -> Flight<Value> {
        let flight = Flight<Value>(slot: self)
        self.flight = flight
        beginRecording(registration)
        let inner = request.forFactory(of: self, registration, flight: flight)
        flight.start { try await inner.running { try await factory.measured(self, registration, inner) } }
        return flight
    }

    private func build<Context: LayerContext & ~Copyable, Value>(
        _ registration: Registration, _ factory: AsynchronousFactory<Context, Value>, for request: Request
    ) async throws -> Value {
        if request.isBuilding(self) { throw ResolutionError.cycle(key) }
        beginRecording(registration)
        let inner = request.forFactory(of: self, registration)
        do {
            return try await inner.running { try await factory.measured(self, registration, inner) }
        } catch {
            throw ResolutionError.passing(error, through: key)
        }
    }
}

extension AsynchronousFactory where Context: ~Copyable {
    fileprivate func measured(
        _ slot: Slot, _ registration: Registration, _ request: Request
    ) async throws -> Value {
        let start = ContinuousClock.now
        do {
            let value = try await make(request.core)
            slot.hasSucceeded = true
            request.container.ambient.trace?.note(slot, registration, since: start, failed: false)
            return value
        } catch {
            request.container.ambient.trace?.note(slot, registration, since: start, failed: true)
            throw error
        }
    }
}

extension Request {
    /// Runs a factory that is awaited, so that it goes on seeing the state in which it began.
    func running<Value>(_ body: () async throws -> Value) async throws -> Value {
        container.began(self)
        defer { container.ended(self) }
        return try await body()
    }

    /// Whether the factory of `slot` asks here, or waits for who does.
    func isBuilding(_ slot: Slot) -> Bool {
        self.slot === slot || parent?.isBuilding(slot) == true
    }
}
