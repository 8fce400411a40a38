import Foundation
import Testing

/// Runs the part of the benchmarks that measures the cost of a module's layers.
@Suite struct LayerCostTests {
    private struct Measured: Decodable {
        struct Figure: Decodable {
            let what: String
            let ours: [Double]
            let reference: [Double]
        }

        let figures: [Figure]
    }

    @Test("The costs of layers, an actor and the session are measured and printed, and no update is lost")
    func printed() throws {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let file = folder.appending(path: "figures.json")

        let run = try ProgramRun.script(
            "Benchmarks/run.py",
            ["--only", "layers", "--build", Project.release.path, "--json", file.path], in: Project.root)
        try #require(run.status == 0, "\(run.output)")
        let figures = try JSONDecoder().decode(Measured.self, from: Data(contentsOf: file)).figures

        #expect(
            figures.map(\.what) == [
                "a property of a view model, read and written",
                "a service called through its repository",
                "an actor's function, from the main actor and back",
                "memory of an empty view model",
                "memory of the session, somebody signed in",
                "updates of a view model by 1,000 tasks, kept",
            ])
        for figure in figures {
            #expect((figure.ours + figure.reference).allSatisfy { $0 > 0 }, "\(figure)")
            #expect(run.output.contains("| \(figure.what) "), "\(run.output)")
        }
        #expect(figures.last?.ours == [100_000])
    }
}
