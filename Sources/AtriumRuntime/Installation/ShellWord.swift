/// A word of a command for the system's shell, which a person copies.
enum ShellWord {
    static func quoted(_ word: String) -> String {
        word.wholeMatch(of: /[\w\/.,:=@%+-]+/) != nil ? word : "'\(word.replacing("'", with: #"'\''"#))'"
    }
}
