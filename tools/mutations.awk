# mutations.awk: reads a list of faults (tools/mutations.txt) for mutate.sh.
#
#     awk -v action=ACTION [-v wanted=NAME or NUMBER] -f mutations.awk LIST
#
# check: does every fault fit the code? list: prints all of them. For one fault: name, text, file, test
# print what the list says, apply prints the file with the fault in it. Runs at the top of the sources.

function slurp(path,    whole, line) {
    if (path in cache)
        return cache[path]
    whole = ""
    while ((getline line < path) > 0)
        whole = whole line "\n"
    close(path)
    return cache[path] = whole
}

function occurrences(whole, part,    count, at) {
    for (count = 0; (at = index(whole, part)) > 0; count++)
        whole = substr(whole, at + length(part))
    return count
}

function wrong(what) {
    printf "%s: %s.\n", name == "" ? FILENAME : name, what
    bad = 1
}

# unit.file is tests/unit/test_file.c, cli.help is tests/cli/test_help.sh.
function is_test(test,    path) {
    path = test
    if (!sub(/\./, "/test_", path))
        return 0
    return slurp("tests/" path ".c") slurp("tests/" path ".sh") != ""
}

function check(    i, n, tests, found) {
    if (name in seen)
        wrong("it stands twice in the list")
    seen[name] = 1
    found = old == "" ? 0 : occurrences(slurp(field["file"]), old)
    if (found != 1)
        wrong("its code stands " found " times in " field["file"] ", not once")
    if (old == new || text == "")
        wrong("it lacks a change or a sentence")
    n = split(field["test"], tests, " ")
    if (n == 0)
        wrong("it names no test")
    for (i = 1; i <= n; i++)
        if (!is_test(tests[i]))
            wrong("there is no test " tests[i])
}

function apply(    source, at) {
    source = slurp(field["file"])
    at = index(source, old)
    printf "%s%s%s", substr(source, 1, at - 1), new, substr(source, at + length(old))
}

function end_fault() {
    if (number == 0)
        return
    if (action == "check")
        check()
    else if (action == "list")
        printf "%2d  %-24s %s\n", number, name, text
    if (wanted == "" || (wanted != name && wanted != number))
        return
    there = 1
    if (action == "apply")
        apply()
    else
        print action == "name" ? name : action == "text" ? text : field[action]
}

/^\[/ {
    end_fault()
    number++
    name = substr($1, 2, length($1) - 2)
    text = substr($0, length($1) + 2)
    field["file"] = field["test"] = old = new = ""
    olds = news = 0
    next
}
/^-/ { old = old (olds++ ? "\n" : "") substr($0, 3); next }
/^\+/ { new = new (news++ ? "\n" : "") substr($0, 3); next }
/^(file|test) / { field[$1] = substr($0, length($1) + 2); next }
/^#/ || /^$/ { next }
{ wrong("this line is not understood: " $0) }

END {
    end_fault()
    if (number == 0 || (wanted != "" && !there)) {
        name = ""
        wrong("there is no fault " wanted)
    }
    if (action == "check" && !bad)
        printf "%d faults fit the code.\n", number
    exit bad
}
