"""The shell's grammar, without a phone."""

from __future__ import annotations

import pytest

from device.virtual.adbd.shell.parser import ShellSyntaxError, Substitution, Text, Variable, Word, parse


def plain(word: Word) -> str:
    """A word as it reads with its variables named."""
    parts = []
    for piece in word:
        match piece:
            case Text(text, _):
                parts.append(text)
            case Variable(name, _):
                parts.append("{" + name + "}")
            case Substitution(_, _):
                parts.append("{()}")
    return "".join(parts)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("echo hi", ["echo", "hi"]),
        ("  echo   a  b ", ["echo", "a", "b"]),
        ("echo 'a b' \"c d\"", ["echo", "a b", "c d"]),
        ("echo 'it'\"'\"'s'", ["echo", "it's"]),
        (r"echo a\ b \$HOME \\", ["echo", "a b", "$HOME", "\\"]),
        (r'echo "a\"b\$c\n"', ["echo", 'a"b$c\\n']),
        ("echo '$HOME' \"$HOME\" $HOME", ["echo", "$HOME", "{HOME}", "{HOME}"]),
        ("echo ${A}b $? $$", ["echo", "{A}b", "{?}", "{$}"]),
        ("echo ''", ["echo", ""]),
        ("echo $ 5$", ["echo", "$", "5$"]),
        ("echo $(id) `id`", ["echo", "{()}", "{()}"]),
        ("echo a#b # comment", ["echo", "a#b"]),
        ("echo 你好 é", ["echo", "你好", "é"]),
        ("echo a\\\nb", ["echo", "ab"]),
        ("input text 'a;b&&c|d'", ["input", "text", "a;b&&c|d"]),
    ],
)
def test_words_are_read_as_a_posix_shell_reads_them(line: str, words: list[str]) -> None:
    ((_, pipeline),) = parse(line).steps
    assert [plain(word) for word in pipeline.commands[0].words] == words


def test_commands_are_joined_in_order_with_their_connectors() -> None:
    script = parse("a; b && c || d\ne ;")
    assert [connector for connector, _ in script.steps] == [";", ";", "&&", "||", ";"]


def test_pipes_negation_assignments_and_redirections_are_kept_apart() -> None:
    ((_, pipeline),) = parse("! X=1 Y='b c' cmd arg 2>/dev/null >> out 2>&1 < in | grep x").steps
    assert pipeline.negated
    first, second = pipeline.commands
    assert [(name, plain(word)) for name, word in first.assignments] == [("X", "1"), ("Y", "b c")]
    assert [plain(word) for word in first.words] == ["cmd", "arg"]
    assert [(r.fd, r.op, plain(r.target)) for r in first.redirects] == [
        (2, ">", "/dev/null"),
        (1, ">>", "out"),
        (2, "&", "1"),
        (0, "<", "in"),
    ]
    assert [plain(word) for word in second.words] == ["grep", "x"]


def test_an_assignment_after_the_command_is_an_argument() -> None:
    ((_, pipeline),) = parse("cmd A=1").steps
    assert [plain(word) for word in pipeline.commands[0].words] == ["cmd", "A=1"]


def test_a_digit_before_a_redirection_is_its_descriptor_only_when_it_stands_alone() -> None:
    ((_, pipeline),) = parse("echo a2>f").steps
    assert [plain(word) for word in pipeline.commands[0].words] == ["echo", "a2"]
    assert pipeline.commands[0].redirects[0].fd == 1


def test_nothing_is_a_script_without_steps() -> None:
    assert parse("").steps == () and parse(" \n # nothing\n").steps == ()


@pytest.mark.parametrize(
    "line",
    ["echo 'a", 'echo "a', "echo `a", "a &&", "a ||", "a &", "(a)", "a | | b", "; ;; ", "a > ", "if true; then a; fi",
     "for x in a; do b; done", "a << EOF", "echo $(a", "echo ${", "echo $((1+1))", "a ; | b", ")"],
)  # fmt: skip
def test_what_the_shell_cannot_do_is_a_syntax_error(line: str) -> None:
    with pytest.raises(ShellSyntaxError):
        parse(line)
