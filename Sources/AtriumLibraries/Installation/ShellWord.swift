/// A word of a shell command for the user to copy.
package enum ShellWord {
    package static func quoted(_ word: String) -> String {
        word.wholeMatch(of: /[\w\/.,:=@%+-]+/) != nil ? word : "'\(word.replacing("'", with: #"'\''"#))'"
    }
}
