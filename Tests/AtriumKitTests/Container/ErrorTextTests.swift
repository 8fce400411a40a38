import Testing

@_spi(Host) @testable import AtriumKit

private final class Stove {}

private final class Cook {
    let stove: Stove

    init(stove: Stove) {
        self.stove = stove
    }
}

@Suite("Messages of the container's errors")
@MainActor
struct ErrorTextTests {
    private let container = Container(environment: .mock)

    private func addCook() throws {
        try container.add(module: "Kitchen", requires: ["House"]) { registry in
            registry.repository(Cook.self) { Cook(stove: try $0.service()) }
        }
    }

    private func failure() -> ResolutionError? {
        #expect(throws: ResolutionError.self) { try container.resolve(Cook.self, .repository) }
    }

    @Test("The error about a type of a removed module names the module and the command for its state")
    func formerOwner() throws {
        try addCook()
        let house = try container.add(module: "House") { $0.service(Stove.self) { _ in Stove() } }.scope

        container.remove(house)
        let error = failure()

        #expect(error?.code == .notRegistered)
        #expect(
            error?.message
                == "No active module registers Stove as a service; module 'House', which did, "
                + "was removed or updated: Cook → Stove.")
        #expect(error?.hint == "why House")
        #expect(error?.path == ["Cook", "Stove"])
    }

    @Test("The error about a missing type includes the host's explanation")
    func absence() throws {
        try addCook()
        container.explainMissing = { name in
            guard name == "Stove" else { return nil }
            return Container.MissingProvider(
                message: "module 'House' would, but it failed", hint: "load House")
        }

        let error = failure()
        let other = #expect(throws: ResolutionError.self) { try container.resolve(Stove.self, .useCase) }

        #expect(
            error?.message
                == "No active module registers Stove as a service; module 'House' would, but it failed: "
                + "Cook → Stove.")
        #expect(error?.hint == "load House")
        #expect(other?.hint == "load House")
    }

    @Test("Without an explanation of the host the error has the general message and no hint")
    func noAbsence() throws {
        try addCook()
        container.explainMissing = { _ in nil }

        let error = failure()

        #expect(error?.message == "No active module registers Stove as a service: Cook → Stove.")
        #expect(error?.hint == nil)
    }

    @Test("The error about a missing implementation names the environments that have one")
    func wrongEnvironment() throws {
        let container = Container(environment: .local)
        try container.add { registry in
            registry.service(Stove.self, live: { _ in Stove() }, local: .unavailable, mock: { _ in Stove() })
        }

        let error = #expect(throws: ResolutionError.self) { try container.resolve(Stove.self, .service) }

        #expect(
            error?.message
                == "Stove has no implementation for environment 'local', only for 'mock' and 'live': Stove.")
        #expect(error?.hint == "Start with --env live.")
        #expect(error?.path == ["Stove"])
    }

    @Test("The hint for a type that is registered in another layer names that layer")
    func otherLayer() throws {
        try container.add { registry in
            registry.useCase(Stove.self) { _ in Stove() }
        }

        let error = #expect(throws: ResolutionError.self) { try container.resolve(Stove.self, .service) }

        #expect(error?.message == "No active module registers Stove as a service: Stove.")
        #expect(error?.hint == "It is registered as a use case; resolve it as one.")
    }

    @Test("An error in a dependency's factory keeps its cause and has the whole path")
    func deepCause() throws {
        try addCook()
        try container.add(module: "House") { registry in
            registry.service(Stove.self) { _ in throw ExplainedFailure() }
        }

        let error = failure()

        #expect(error?.code == .factoryFailed)
        #expect(error?.category == .failure)
        #expect(
            error?.message == "Stove could not be built (Cook → Stove): The printer is out of paper.")
        #expect(error?.hint == "Add paper.")
        #expect((error?.cause as? ExplainedFailure)?.code == "outOfPaper")
    }

    @Test("An error from outside any factory is described by its type")
    func unexplained() {
        let error = ResolutionError.unexplained(PlainFailure())

        #expect(error.code == .unexpected)
        #expect(error.message == "An error of type PlainFailure.")
        #expect(error.cause is PlainFailure)
        #expect(error.path.isEmpty)
    }

    @Test("Registration errors say what to do")
    func registration() {
        let outdated = RegistrationError.outdated()
        let notProvided = RegistrationError.notProvided(module: "House", names: ["Stove", "Cook"])

        #expect(outdated.code == .outdated)
        #expect(outdated.category == .module)
        #expect(
            outdated.message == "The container was changed while another change of it was being prepared.")
        #expect(outdated.hint == "Prepare the change again.")
        #expect(notProvided.code == .notProvided)
        #expect(
            notProvided.message
                == "Module 'House' declares that it provides 'Stove', 'Cook', which it does not register.")
        #expect(notProvided.hint == "Make \"provides\" in module.json and register(in:) agree.")
    }
}
