import AtriumKit
import Testing

@Suite("Progress")
struct ProgressTests {
    @Test(
        "The text has the label, and the counts and the time that are known",
        arguments: [
            (Progress(label: "Loading"), "Loading"),
            (Progress(label: "Loading", elapsed: .milliseconds(4900)), "Loading: 4 s"),
            (Progress(label: "Importing", completed: 3), "Importing: 3 done"),
            (Progress(label: "Importing", of: 10), "Importing: 10 in all"),
            (
                Progress(label: "Importing", completed: 3, of: 10, elapsed: .seconds(4)),
                "Importing: 3 of 10 (30 %), 4 s"
            ),
            (Progress(label: "Importing", completed: 199, of: 200), "Importing: 199 of 200 (99 %)"),
            (Progress(label: "Importing", completed: 0, of: 0), "Importing: 0 of 0"),
            (Progress(label: "Importing", completed: 12, of: 10), "Importing: 12 of 10 (100 %)"),
            (
                Progress(label: "Importing", completed: .max, of: .max, elapsed: .seconds(125)),
                "Importing: \(Int.max) of \(Int.max) (100 %), 2 min 5 s"
            ),
            (Progress(label: "Importing", completed: -1, elapsed: .seconds(-1)), "Importing: 0 done, 0 s"),
            (Progress(label: "Importing", elapsed: .seconds(3725)), "Importing: 1 h 2 min"),
        ])
    func words(_ progress: Progress, _ text: String) {
        #expect(progress.text == text)
    }

    @Test("The fraction is known if both counts are and the total is not 0")
    func fraction() {
        #expect(Progress(label: "x", completed: 3, of: 4).fraction == 0.75)
        #expect(Progress(label: "x", completed: 5, of: 4).fraction == 1)
        #expect(Progress(label: "x", completed: 0, of: 0).fraction == nil)
        #expect(Progress(label: "x", completed: 3).fraction == nil)
    }

    @Test("In JSON progress is an object under its key, with null for unknown values")
    func json() {
        let content = Content {
            Progress("import", label: "Importing", completed: 3, of: 10, elapsed: .milliseconds(4500))
            Progress(label: "Loading")
        }

        #expect(
            JSONValue.object(content.json).serialized
                == #"{"import":{"label":"Importing","completed":3,"total":10,"elapsedSeconds":4.5},"#
                + #""progress":{"label":"Loading","completed":null,"total":null,"elapsedSeconds":null}}"#)
    }
}
