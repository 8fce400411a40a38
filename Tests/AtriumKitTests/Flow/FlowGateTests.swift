@_spi(Host) import AtriumKit
import Testing

@Suite("Gates of a flow")
@MainActor
struct FlowGateTests {
    @MainActor
    private final class Passport {
        var isValid = false
        var asked: [Voyage] = []

        func check(_ step: Voyage) throws {
            asked.append(step)
            guard isValid else { throw GateClosed() }
        }
    }

    @Test("A closed gate keeps the flow at its step, throws its own error and ends the loading")
    func closed() async throws {
        let passport = Passport()
        let flow = FlowModel { step in .requirement { try passport.check(step) } }

        await #expect(throws: GateClosed()) { try await flow.next() }

        #expect(flow.currentStep == .ticket)
        #expect(flow.completedSteps == [])
        #expect(!flow.isLoading)

        passport.isValid = true
        try await flow.next()

        #expect(flow.currentStep == .seatChoice)
        #expect(passport.asked == [.ticket, .ticket])
    }

    @Test("Each step has its own gate, which going back and skipping don't evaluate")
    func perStep() async throws {
        let passport = Passport()
        passport.isValid = true
        let flow = FlowModel { step in .work { try passport.check(step) } }

        try await flow.next()
        try flow.skip()
        try flow.back()
        try await flow.next()
        try await flow.next()

        #expect(passport.asked == [.ticket, .seatChoice, .luggage])
    }

    @Test("While a gate is evaluated the flow is loading and refuses a second move")
    func slow() async throws {
        let turnstile = Turnstile()
        let flow = FlowModel { _ in .work { await turnstile.pass() } }
        flow.restore(try await FlowModel.at(.seatChoice).savedState)
        let first = Task { try await flow.next() }
        await turnstile.arrivals(1)

        #expect(flow.isLoading)
        let second = await #expect(throws: FlowError.self) { try await flow.next() }
        #expect(second?.code == .moveUnderWay)
        #expect(second?.message == "'Voyage' is leaving seat choice already; 'previous' cancels that.")
        #expect(second?.hint == "previous")
        let skip = #expect(throws: FlowError.self) { try flow.skip() }
        #expect(skip == second)
        #expect(await flow.advancePastOpenGates() == 0)
        #expect(flow.currentStep == .seatChoice)

        turnstile.open()
        try await first.value

        #expect(flow.currentStep == .luggage)
        #expect(!flow.isLoading)
    }

    @Test("Going back during a gate's evaluation cancels it and keeps the step", arguments: [true, false])
    func backCancels(isHeeded: Bool) async throws {
        let turnstile = Turnstile()
        let flow = FlowModel { _ in
            .work {
                await turnstile.pass()
                if isHeeded { try Task.checkCancellation() }
            }
        }
        let move = Task { try await flow.next() }
        await turnstile.arrivals(1)

        try flow.back()
        try flow.back()

        await #expect(throws: CancellationError.self) { try await move.value }
        #expect(flow.currentStep == .ticket)
        #expect(flow.completedSteps == [])
        #expect(!flow.isLoading)
    }

    @Test("While a cancelled gate is still running, another move is refused")
    func deafGate() async throws {
        let (started, deaf) = (Turnstile(), AsyncStream.makeStream(of: Void.self))
        let flow = FlowModel { _ in
            .work {
                started.note()
                await Task.detached { for await _ in deaf.stream {} }.value
            }
        }
        let move = Task { try await flow.next() }
        await started.arrivals(1)

        try flow.back()
        #expect(flow.isLoading)
        let error = await #expect(throws: FlowError.self) { try await flow.next() }
        #expect(error?.code == .moveUnderWay)

        deaf.continuation.finish()
        await #expect(throws: CancellationError.self) { try await move.value }
        #expect(flow.currentStep == .ticket)
        #expect(!flow.isLoading)
    }

    @Test("Cancelling the caller of a move keeps the step", arguments: [true, false])
    func cancelledCaller(isUnderWay: Bool) async throws {
        let turnstile = Turnstile()
        let flow = FlowModel { _ in .work { await turnstile.pass() } }
        let move = Task { try await flow.next() }
        if isUnderWay { await turnstile.arrivals(1) }

        move.cancel()

        await #expect(throws: CancellationError.self) { try await move.value }
        #expect(flow.currentStep == .ticket)
        #expect(!flow.isLoading)
    }

    @Test("The result of a gate is ignored after the flow has started over")
    func startOverMeanwhile() async throws {
        let turnstile = Turnstile()
        let flow = FlowModel { step in
            step == .seatChoice ? .work { await turnstile.pass() } : .open
        }
        try await flow.next()
        let move = Task { try await flow.next() }
        await turnstile.arrivals(1)

        flow.startOver()
        #expect(!flow.isLoading)
        try await flow.next()
        let second = Task { try await flow.next() }
        await turnstile.arrivals(2)

        await #expect(throws: CancellationError.self) { try await move.value }
        #expect(flow.isLoading)
        #expect(flow.currentStep == .seatChoice)

        turnstile.open()
        try await second.value
        #expect(flow.currentStep == .luggage)
    }

    @Test("A gate can't move its own flow")
    func reentrantGate() async throws {
        @MainActor final class Holder {
            var flow: FlowModel<Voyage>?
        }
        let holder = Holder()
        let flow = FlowModel { _ in .work { try await holder.flow?.next() } }
        holder.flow = flow

        let error = await #expect(throws: FlowError.self) { try await flow.next() }

        #expect(error?.code == .moveUnderWay)
        #expect(flow.currentStep == .ticket)
        #expect(!flow.isLoading)
        holder.flow = nil
    }

    @Test("Showing a flow again completes steps whose requirement is met, and stops at work and open gates")
    func advance() async throws {
        let passport = Passport()
        var worked = 0
        let flow = FlowModel { step in
            switch step {
            case .ticket, .seatChoice: .requirement { try passport.check(step) }
            case .luggage: .work { worked += 1 }
            case .farewell: .open
            }
        }
        #expect(await flow.advancePastOpenGates() == 0)
        #expect(flow.currentStep == .ticket)

        passport.isValid = true
        #expect(await flow.advancePastOpenGates() == 2)
        #expect(flow.currentStep == .luggage)
        #expect(await flow.advancePastOpenGates() == 0)
        #expect(worked == 0)

        try await flow.next()
        #expect(await flow.advancePastOpenGates() == 0)
        #expect(flow.currentStep == .farewell)
        try await flow.next()
        #expect(await flow.advancePastOpenGates() == 0)
    }

    @Test("Showing a flow again finishes it if all requirements are met")
    func advanceToTheEnd() async throws {
        let flow = FlowModel { _ in .requirement {} }

        #expect(await flow.advancePastOpenGates() == 4)

        #expect(flow.isFinished)
        #expect(flow.completedSteps == Voyage.allCases)
    }
}
