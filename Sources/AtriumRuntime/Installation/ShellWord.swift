/// A word of a shell command for the user to copy.
enum ShellWord {
    static func quoted(_ word: String) -> String {
        word.wholeMatch(of: /[\w\/.,:=@%+-]+/) != nil ? word : "'\(word.replacing("'", with: #"'\''"#))'"
    }
}
