"""Text on its way into the focused field, whichever way it comes: keys, the keyboard's window, paste, broadcasts."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from device.virtual import editing, keymap
from device.virtual.core.journal import Journal, text_data
from device.virtual.editing import Edit
from device.virtual.session import KeyboardView, Session
from device.virtual.shell.keyboard import KeyboardState, press
from device.virtual.system import ImeReply, System
from device.virtual.tasks import OpenScreen
from device.virtual.ui.node import Act, Node
from device.virtual.ui.window import Window, field_nodes
from device.virtual.windows import offset_showing

_DIALABLE = frozenset("0123456789+*#()-/., N;")  # android.text.method.DialerKeyListener
_NUMERIC = frozenset("0123456789+-.,")  # android.text.method.DigitsKeyListener, signed and decimal

Windows = Callable[[], tuple[Window, ...]]
Perform = Callable[[Act, OpenScreen, str], None]


@dataclass(frozen=True, slots=True)
class Field:
    """The focused field: its screen, its node, and what it holds."""

    screen: OpenScreen
    node: Node
    bind: str
    edit: Edit

    @property
    def password(self) -> bool:
        return self.node.password

    @property
    def kind(self) -> str:
        return str(self.node.props.get("input", "text"))

    @property
    def multiline(self) -> bool:
        return bool(self.node.props.get("multiline"))


class TextInput:
    """Edits the focused field. Methods that say `bool` tell whether there was one."""

    def __init__(self, session: Session, system: System, journal: Journal, windows: Windows, perform: Perform) -> None:
        self._session = session
        self._system = system
        self._journal = journal
        self._windows = windows
        self._perform = perform

    # focus

    def focused(self) -> Field | None:
        """The field that text goes to now."""
        screen = self._session.front
        session = self._session
        if screen.focus is None or not session.awake or session.locked or session.rest_kind or session.error:
            return None
        node = self._nodes(screen).get(screen.focus)
        if node is None:
            return None
        return Field(screen, node, screen.focus, screen.edit(screen.fields.get(screen.focus, node.text)))

    def _nodes(self, screen: OpenScreen) -> dict[str, Node]:
        window = self._window(screen)
        if window is None:
            return {}
        return {str(node.props.get("bind")): node for node in field_nodes(window.node) if node.enabled}

    def focus(self, screen: OpenScreen, bind: str, *, caret: int | None = None, show: bool = True) -> bool:
        """Put focus and caret (at the end by default) into a field of the front screen and show the keyboard."""
        nodes = self._nodes(screen)
        node = nodes.get(bind)
        if node is None:
            return False
        text = screen.fields.get(bind, node.text)
        entered = screen.focus != bind
        screen.focus = bind
        screen.caret = screen.anchor = len(text) if caret is None else editing.snap(text, caret)
        kind = str(node.props.get("input", "text"))
        self._session.field_kind = kind
        self._session.field_action = self._action(node, list(nodes))
        if entered or not self._session.ime_wanted:
            opened = KeyboardState.opened(kind, text)
            self._session.keyboard = KeyboardView(opened.layer, opened.shift)
        if show:
            self._session.want_ime()
        self._session.changed()
        self._reveal(screen, bind)
        return True

    def _reveal(self, screen: OpenScreen, bind: str) -> None:
        """Scroll so that the field shows above the keyboard."""
        window = self._window(screen)
        place = offset_showing(window, bind) if window is not None else None
        if place is not None:
            self._session.rest(screen)
            screen.scroll[place[0]] = place[1]
            self._session.changed()

    def _window(self, screen: OpenScreen) -> Window | None:
        return next((w for w in self._windows() if w.owner == screen.serial), None)

    def root_prop(self, prop: str) -> object:
        """What the front screen's root carries under that name in its props, or None."""
        window = self._window(self._session.front)
        return window.node.props.get(prop) if window is not None else None

    def root_act(self, prop: str) -> Act | None:
        """An act that the front screen's root carries in its props, such as `on_back`."""
        act = self.root_prop(prop)
        return act if isinstance(act, Act) else None

    def open_front(self) -> None:
        """Focus the field that the front screen names in `autofocus`, once, when it has opened."""
        screen = self._session.front
        window = self._window(screen)
        bind = window.node.props.get("autofocus") if window is not None else None
        if bind and screen.focus is None:
            self.focus(screen, str(bind))

    def _action(self, node: Node, binds: list[str]) -> str:
        if node.props.get("multiline"):
            return "newline"
        if named := node.props.get("action"):
            return str(named)
        if node.props.get("variant") == "bare":
            return "search"
        return "done" if binds[-1] == node.props.get("bind") else "next"

    def blur(self) -> None:
        """Take the focus away and hide the keyboard."""
        self._session.front.focus = None
        self._session.ime_wanted = False
        self._session.changed()

    def hide(self) -> bool:
        """Hide the keyboard; the focus stays. False when none was shown."""
        shown, self._session.ime_wanted = self._session.ime_wanted, False
        self._session.changed()
        return shown

    # editing

    def commit(self, text: str, cause: str) -> bool:
        """Insert text at the caret, in place of a selection."""
        field = self.focused()
        if field is None:
            return False
        self._store(field, editing.insert(field.edit, _admitted(field, text)), cause, typed=text)
        return True

    def replace(self, text: str, cause: str) -> bool:
        """Put this text in the place of all the field holds."""
        field = self.focused()
        if field is None:
            return False
        self._store(field, Edit.end_of(_admitted(field, text)), cause, typed=text)
        return True

    def set_text(self, screen: OpenScreen, bind: str, text: str, cause: str) -> bool:
        """Replace what a field holds without focusing it (ACTION_SET_TEXT)."""
        node = self._nodes(screen).get(bind)
        if node is None:
            return False
        old = screen.fields.get(bind, node.text)
        field = Field(screen, node, bind, Edit.end_of(old))
        self._store(field, Edit.end_of(_admitted(field, text)), cause, typed=text)
        return True

    def paste(self, cause: str) -> bool:
        """Insert the clipboard."""
        return self.commit(self._session.clipboard, cause)

    def _change(self, edit: Callable[[Edit], Edit], cause: str) -> bool:
        field = self.focused()
        if field is None:
            return False
        changed = edit(field.edit)
        if changed.text == field.edit.text:
            field.screen.caret, field.screen.anchor = changed.caret, changed.anchor
            self._session.changed()
        else:
            self._store(field, changed, cause)
        return True

    def _store(self, field: Field, edit: Edit, cause: str, typed: str | None = None) -> None:
        screen = field.screen
        screen.fields[field.bind] = edit.text
        if screen.focus == field.bind:
            screen.caret, screen.anchor = edit.caret, edit.anchor
        text = text_data(edit.text if typed is None else typed, password=field.password)
        kind = {} if typed is not None else {"left": True}
        self._journal.append("text", {"field": field.bind, **text, **kind}, cause)
        if self._session.keyboard.shift == "once" and edit.text:
            self._session.keyboard.shift = "off"
        self._session.changed()
        if field.node.on_change is not None:
            self._perform(field.node.on_change.with_value(edit.text), screen, cause)

    # keys

    def key(self, code: int, meta: int, cause: str) -> bool:
        """A key press that concerns text; False when the key means nothing to the field."""
        field = self.focused()
        if field is None:
            return False
        if meta & keymap.META_CTRL:
            return self._shortcut(field, code, cause)
        select = bool(meta & keymap.META_SHIFT)
        moves: Mapping[int, Callable[[Edit], Edit]] = {
            keymap.DEL: editing.delete_before,
            keymap.FORWARD_DEL: editing.delete_after,
            keymap.DPAD_LEFT: lambda edit: editing.left(edit, select=select),
            keymap.DPAD_RIGHT: lambda edit: editing.right(edit, select=select),
            keymap.MOVE_HOME: lambda edit: editing.move(edit, 0, select=select),
            keymap.MOVE_END: lambda edit: editing.move(edit, len(edit.text), select=select),
        }
        if code in moves:
            return self._change(moves[code], cause)
        match code:
            case keymap.ENTER | keymap.NUMPAD_ENTER | keymap.DPAD_CENTER:
                return self.enter(cause)
            case keymap.TAB:
                return self.focus_next(-1 if select else 1)
            case keymap.DPAD_DOWN | keymap.DPAD_UP:
                return self.focus_next(1 if code == keymap.DPAD_DOWN else -1)
            case keymap.PASTE:
                return self.paste(cause)
            case keymap.COPY | keymap.CUT:
                return self._copy(field, code == keymap.CUT, cause)
            case keymap.CLEAR:
                return self.replace("", cause)
        char = keymap.character(code, meta)
        return bool(char) and self.commit(char, cause)

    def _shortcut(self, field: Field, code: int, cause: str) -> bool:
        match code:
            case keymap.A:
                return self._change(editing.select_all, cause)
            case keymap.V:
                return self.paste(cause)
            case keymap.C | keymap.X:
                return self._copy(field, code == keymap.X, cause)
        return False

    def _copy(self, field: Field, cut: bool, cause: str) -> bool:
        if field.edit.selected and not field.password:  # Android copies nothing out of a password
            self._session.clipboard = field.edit.selected
            if cut:
                self._change(editing.delete_before, cause)
        return True

    def enter(self, cause: str) -> bool:
        """The enter key: a new line, or what the field's action says."""
        field = self.focused()
        if field is None:
            return False
        if field.multiline:
            return self.commit("\n", cause)
        return self.act(cause)

    def act(self, cause: str) -> bool:
        """The editor action of the field: its own act, the next field, or hiding the keyboard."""
        field = self.focused()
        if field is None:
            return False
        own = field.node.props.get("on_enter")
        if isinstance(own, Act):
            self._perform(own, field.screen, cause)
        elif self._session.field_action != "next" or not self.focus_next(1):
            self.hide()
        return True

    def focus_next(self, step: int) -> bool:
        """The focus to the next or previous field of the screen, when there is one."""
        screen = self._session.front
        binds = list(self._nodes(screen))
        if screen.focus not in binds:
            return False
        place = binds.index(screen.focus) + step
        return 0 <= place < len(binds) and self.focus(screen, binds[place], show=False)

    def press(self, value: str, cause: str) -> None:
        """A key of the on-screen keyboard."""
        view = self._session.keyboard
        state, stroke = press(KeyboardState(view.layer, view.shift), value)  # type: ignore[arg-type]
        self._session.keyboard = KeyboardView(state.layer, state.shift)
        self._session.changed()
        match stroke.function:
            case "backspace":
                self._change(editing.delete_before, cause)
            case "enter":
                self.enter(cause)
            case "hide":
                self.hide()
        if stroke.text:
            self.commit(stroke.text, cause)

    # broadcasts

    def broadcast(self, action: str, extras: Mapping[str, str | int], cause: str) -> ImeReply:
        """Answer `am broadcast` as uiautomator2's keyboard does, if it is chosen.

        It answers -1 even when no field is connected; the data then repeats the action. EDITOR_CODE and INPUT_KEYCODE
        read whole numbers: text under their names goes unseen, and the answer is -1 all the same.
        """
        if self._system.own_keyboard or not action.startswith("ADB_KEYBOARD_"):
            return ImeReply(0)
        name = action.removeprefix("ADB_KEYBOARD_")
        if name == "GET_CLIPBOARD":
            return ImeReply(-1, base64.b64encode(self._session.clipboard.encode()).decode("ascii"))
        done = self._broadcast(name, extras, cause)
        return ImeReply(-1, "success" if done else action)

    def _broadcast(self, name: str, extras: Mapping[str, str | int], cause: str) -> bool:
        code = extras.get("code")
        match name:
            case "INPUT_TEXT":
                return self.commit(_decoded(extras), cause)
            case "SET_TEXT":
                return self.replace(_decoded(extras), cause)
            case "CLEAR_TEXT":
                return self.replace("", cause)
            case "SMART_ENTER":
                return self.enter(cause)
            case "EDITOR_CODE":
                return isinstance(code, int) and self.act(cause)
            case "INPUT_KEYCODE":
                return isinstance(code, int) and self.key(code, 0, cause)
            case "HIDE":
                return self.hide()
            case "SHOW":
                screen = self._session.front
                return screen.focus is not None and self.focus(screen, screen.focus, caret=screen.caret)
        return False


def _decoded(extras: Mapping[str, str | int]) -> str:
    """The text of a broadcast, base64 of UTF-8; nothing when it is neither."""
    try:
        return base64.b64decode(str(extras.get("text", "")), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _admitted(field: Field, text: str) -> str:
    """What of a text the field takes: phone and number fields filter, one line has no line breaks."""
    if not field.multiline:
        text = text.replace("\r", "").replace("\n", " ")
    allowed = {"phone": _DIALABLE, "number": _NUMERIC}.get(field.kind)
    return text if allowed is None else "".join(char for char in text if char in allowed)
