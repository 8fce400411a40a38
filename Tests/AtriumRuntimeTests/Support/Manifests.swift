import AtriumManifest

@testable import AtriumLibraries
@testable import AtriumModules

/// The JSON of a manifest as it is embedded in a library.
func manifestJSON(
    _ name: String = "Catalog", version: String = "1.0.0", requires: String = "{}",
    configuration: String = "{}",
    screens: String = "{}", sdk: String = SDKVersion.current.description,
    inlinedLayout: Int = SDKVersion.inlinedLayout, compiler: String = Compatibility.compiler
) -> String {
    """
    {"name": "\(name)", "version": "\(version)", "entry": "\(name)Module", "summary": "For tests", \
    "requires": \(requires), "screens": \(screens), "configuration": \(configuration), \
    "sdk": "\(sdk)", "inlinedLayout": "\(inlinedLayout)", "compiler": "\(compiler)"}
    """
}

func manifest(_ json: String, form: ModuleManifest.Form = .embedded) throws -> ModuleManifest {
    try ModuleManifest(json: Array(json.utf8), file: "module.json", form: form)
}
