internal import AtriumKit
internal import AtriumNavigation

extension HostCommands {
    @ActionsBuilder var scenes: [Action] {
        Action(
            "scenes", "List the front ends of the host, and the scenes that are kept for later",
            effect: .reads
        ) {
            let kept = host.keptScenes().sorted { $0.key < $1.key }
            for case (_, .failure(let error)) in kept { scene.coordinator.reportError?(error) }
            return .content(SceneViews.list(host.scenes, kept: kept, present: scene))
        }
    }
}
