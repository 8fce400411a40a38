# Completion of atrium for fish: the host lists what can follow the words before the cursor.
complete -c atrium -a '(atrium --complete (commandline -opc)[2..] 2>/dev/null | string replace " " \t)'
