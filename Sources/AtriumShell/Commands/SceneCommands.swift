internal import AtriumKit

extension HostCommands {
    @ActionsBuilder var scenes: [Action] {
        Action(
            "scenes", "List the front ends of the host, and the scenes that are kept for later",
            effect: .reads
        ) {
            .content(SceneViews.list(host, present: scene))
        }
    }
}
