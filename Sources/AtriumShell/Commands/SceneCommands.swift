internal import AtriumKit
internal import AtriumNavigation
internal import AtriumStorage
internal import AtriumText
internal import Glibc

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
        Action(
            "scenes forget", "Forget the screens of a scene to which nobody is attached", effect: .destroys,
            Argument<String>(
                "name", "The scene", suggestions: offersNames ? host.keptScenes().keys.sorted() : [])
        ) { name in
            if let other = host.scenes.first(where: { $0.name == name }) {
                throw ShellError(
                    "sceneInUse",
                    "Scene '\(name)' is in use\(other.client.map { " by process \($0.process)" } ?? "").",
                    hint: "Leave it there first.")
            }
            let kept = host.keptScenes()
            guard kept[name] != nil else {
                throw ShellError.unknown(
                    "unknownScene", name, among: kept.keys.sorted(), else: "'scenes' lists them."
                ) {
                    "There is no scene '\($0)'."
                }
            }
            try host.forgetScene(name)
            return .updated("Scene '\(name)' is forgotten.")
        }
    }
}
