# Completion of atrium for fish: the host lists what can follow the words before the cursor.
function __atrium_complete
    set -l words (commandline -opc)[2..]
    # The values of --name=VALUE are those that follow --name.
    set -l option (string match -r -- '^--[^=]+=' (commandline -ct | string collect))
    set -q option[1]; and set -a words (string trim -r -c = -- $option)
    set -l found (atrium --complete $words 2>/dev/null | string replace " " \t)
    set -q found[1]; and printf '%s\n' "$option"$found
end

# Values have no summary; files are no values.
function __atrium_lists_values
    set -l found (__atrium_complete)
    set -q found[1]; and not string match -q -- "*"\t"*" $found
end
complete -c atrium -a '(__atrium_complete)'
complete -c atrium -f -n __atrium_lists_values
