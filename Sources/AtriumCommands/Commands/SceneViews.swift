internal import AtriumKit
internal import AtriumStorage
internal import AtriumText
internal import Glibc

@MainActor
enum SceneViews {
    /// The scenes in use, then the kept ones; one that can't be read has no link.
    static func list(
        _ scenes: [Scene], kept: [(key: String, value: Result<String, StorageError>)], present: Scene
    ) -> Content {
        let kept = kept.map { Row(name: $0.key, link: try? $0.value.get()) }
        return Content {
            Table(scenes.map { Row($0, isPresent: $0 === present) } + kept) {
                Column("name") { $0.name }
                Column("link") { $0.link }
                Column("client") { $0.client }
                Column("process") { $0.process }
                Column("since") { $0.since }
                Column("size") { $0.size }
                Column("present", label: "Here") { $0.isPresent }
            }
        }
    }

    @MainActor
    fileprivate struct Row {
        let name: String
        /// Nil for a stored scene that can't be read.
        let link: String?
        /// Nil for a stored scene, to which no client is attached.
        var client: String?
        var process: Int?
        var since: Timestamp?
        var size: Worded?
        var isPresent = false
    }
}

extension SceneViews.Row {
    fileprivate init(_ scene: Scene, isPresent: Bool) {
        self.init(
            name: scene.name, link: scene.currentLink, client: scene.client?.name ?? "the host",
            process: Int(scene.client?.process ?? getpid()), since: scene.since, size: Self.size(of: scene),
            isPresent: isPresent)
    }

    /// The size that screens are laid out for, and its source.
    private static func size(of scene: Scene) -> Worded {
        let viewport = scene.viewport.current
        return Worded(
            "\(viewport.columns)x\(viewport.rows)",
            [
                "columns": .integer(Int64(viewport.columns)), "rows": .integer(Int64(viewport.rows)),
                "promptRows": .integer(Int64(viewport.promptRows)),
                "contentRows": .integer(Int64(viewport.contentRows)),
                "source": .string(scene.display.viewportSource.rawValue),
            ])
    }
}
