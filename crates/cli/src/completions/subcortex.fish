# Completions of subcortex for fish; the program itself says what fits.
function __subcortex_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete -- $words 2>/dev/null)
        switch $line
            case ':files*'
                __fish_complete_path (commandline -ct)
            case ':dirs*'
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c subcortex -f -a '(__subcortex_complete)'
