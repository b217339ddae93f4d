# words.awk: the words of the tables as a libFuzzer dictionary: steps, keys with "=", options.
/^RV_(STEP|WORD|OPTION|OPTION_AS|REAL|INT|COUNT|SEED|SWITCH|VECTOR|CHOICE|TEXT|FILE)\(/ {
    split($0, part, /[(), ]+/)
    word = part[2]
    if (part[1] == "RV_OPTION")
        word = part[4]
    else if (part[1] == "RV_OPTION_AS")
        word = substr(part[5], 2, length(part[5]) - 2) # it has quotes
    else if (part[1] != "RV_STEP" && part[1] != "RV_WORD")
        word = part[3] "="
    if (!seen[word]++)
        printf "\"%s\"\n", word
}
END {
    print "\"# \"\n\"auto\"\n\"\\x0a\"\n\"\\\"\"\n\"800k\"\n\"2M\"\n\"1e-3\"\n\"-\"\n\"nan\"\n\"inf\""
}
