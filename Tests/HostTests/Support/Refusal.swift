import Testing

/// A fixture that the host must refuse, with the expected error.
struct Refusal: Sendable, CustomTestStringConvertible {
    let fixture: FixtureModule
    /// The code of the error.
    let code: String
    /// Texts that the message contains.
    let words: [String]
    /// A built module that must be loaded first.
    let companion: String?

    var testDescription: String { fixture.name }

    init(_ name: String, _ code: String, _ words: String..., with companion: String? = nil) {
        fixture = FixtureModule(name)
        self.code = code
        self.words = words
        self.companion = companion
    }

    /// Detected in the file: no code runs, not even in a child process.
    static let unread = [
        Refusal("manifest-not-json", "badManifest", "Found 'name'"),
        Refusal("manifest-of-another-schema", "badManifest", "colour"),
        Refusal("name-invalid", "badManifest", "'name invalid' is not a valid module name"),
        Refusal("version-invalid", "badManifest", "'1.0' is not a valid semantic version"),
        Refusal("requires-itself", "badManifest", "A module can't require itself"),
        Refusal("needs-newer-sdk", "incompatible", "NeedsNewerSdk", "AtriumKit 0.99.0"),
        Refusal("needs-other-layout", "incompatible", "NeedsOtherLayout", "layout 999"),
        Refusal("needs-other-compiler", "incompatible", "NeedsOtherCompiler", "Swift 5.0.0"),
    ]

    /// Reported by the loader, thrown by the module, or detected while it registers.
    static let thrown = [
        Refusal("entry-missing", "noEntry", "EntryMissing", "has no entry"),
        Refusal("entry-stores-nothing", "noEntry", "EntryStoresNothing", "has no entry"),
        Refusal("symbol-missing", "notLoadable", "SymbolMissing", "fixture_nowhere"),
        Refusal("sdk-symbol-missing", "incompatible", "SdkSymbolMissing", "whisper"),
        Refusal("notes-gap", "badMigrations", "Module 'Notes' has no migration 2, but has 3."),
        Refusal(
            "undeclared-database", "notDeclared", "'Notes' uses its database", "manifest does not declare"),
        Refusal("throws-in-register", "fixture", "ThrowsInRegister", "register", "throws in register"),
        Refusal("throws-in-activate", "fixture", "ThrowsInActivate", "activate", "throws in activate"),
        Refusal(
            "registers-duplicate", "duplicate", "RegistersDuplicate", "Stock", "it registered that before"),
        Refusal(
            "registers-anothers-type", "duplicate", "RegistersAnothersType", "WallClock",
            "module 'Clockwork' already provides it", with: "Clockwork"),
        Refusal(
            "takes-anothers-link", "ambiguousLink", "TakesAnothersLink", "'entities' of module 'Entities'"),
        Refusal(
            "undeclared-screen", "screensDiffer", "UndeclaredScreen", "registers 'plain'", "does not declare"),
        Refusal(
            "missing-screen", "screensDiffer", "MissingScreen", "declares 'missing'", "does not register"),
        Refusal("missing-interface", "notProvided", "MissingInterface", "'WallClock'", "does not register"),
    ]

    /// Detected when the container is verified, which only the child process does before the module is used.
    static let unbuildable = [
        Refusal("container-cycle", "cycle", "Dependency cycle: Hen → Egg"),
        Refusal("undeclared-session", "notDeclared", "'UndeclaredSession' uses the signed-in user"),
        Refusal("needs-what-nobody-registers", "notRegistered", "No active module registers Stock"),
        Refusal(
            "action-of-the-host", "badName", "ActionOfTheHost", "'back'", "is a command of the host"),
        Refusal("throws-in-factory", "factoryFailed", "Stock could not be built", "throws in a factory"),
    ]

    /// Ends the child process or keeps it from ending.
    static let deadly = [
        Refusal("entry-of-another-type", "crashes", "EntryOfAnotherType", "it crashed while"),
        Refusal("traps-in-static-initialiser", "crashes", "TrapsInStaticInitialiser", "it was opened"),
        Refusal("traps-in-init", "crashes", "TrapsInInit", "it was created"),
        Refusal("traps-in-register", "crashes", "TrapsInRegister", "it registered"),
        Refusal("traps-in-factory", "crashes", "TrapsInFactory", "what it registers was built"),
        Refusal("traps-in-activate", "crashes", "TrapsInActivate", "it was activated"),
        Refusal("traps-in-deactivate", "crashes", "TrapsInDeactivate", "it was stopped"),
        Refusal("recurses-for-ever", "crashes", "RecursesForEver", "it registered"),
        Refusal("allocates-without-end", "crashes", "AllocatesWithoutEnd", "it registered"),
        Refusal("exits-in-static-initialiser", "exits", "ExitsInStaticInitialiser", "it was opened"),
        Refusal("exits-in-register", "exits", "ExitsInRegister", "it registered"),
        Refusal("hangs-in-static-initialiser", "hangs", "HangsInStaticInitialiser", "it was opened"),
        Refusal("hangs-in-init", "hangs", "HangsInInit", "it was created"),
        Refusal("hangs-in-register", "hangs", "HangsInRegister", "it registered"),
        Refusal("hangs-in-activate", "hangs", "HangsInActivate", "it was activated"),
        Refusal("hangs-in-deactivate", "hangs", "HangsInDeactivate", "it was stopped"),
        Refusal("waits-in-activate", "hangs", "WaitsInActivate", "it was activated"),
        Refusal("waits-in-deactivate", "hangs", "WaitsInDeactivate", "it was stopped"),
    ]

    /// One fixture of each kind.
    static let deadlyKinds = deadly.filter { $0.fixture.name.hasSuffix("-in-register") }

    static let all = unread + thrown + unbuildable + deadly
}
