"""Words on a button that cost money, reach other people, destroy something or give rights away.

Matched on whole words of the target's own text; Chinese has no spaces, so there a word counts wherever it
stands. "Don't allow" and "不允许" take the meaning back.
"""

from __future__ import annotations

import re
import unicodedata

MONEY = (
    "pay",
    "payment",
    "buy",
    "purchase",
    "order",
    "checkout",
    "check out",
    "subscribe",
    "donate",
    "transfer",
    "withdraw",
)
PEOPLE = ("send", "send money", "post", "publish")
LOSS = ("delete", "remove", "erase", "wipe", "discard", "uninstall", "factory reset", "reset phone", "erase all data")
RIGHTS = ("install", "permission", "permissions", "allow", "grant", "authorize", "authorise")
CHINESE = (
    *("支付", "付款", "购买", "下单", "订单", "结账", "结算", "买单", "充值", "订阅", "捐款", "转账", "提现"),
    *("发送", "发布", "发表"),
    *("删除", "移除", "清除", "抹掉", "卸载", "恢复出厂设置", "重置手机"),
    *("安装", "权限", "允许", "授权"),
)
PROTECTED = ("password", "passcode", "passphrase", "pin", "cvv", "cvc", "one-time code", "otp")
CHINESE_PROTECTED = ("密码", "口令", "验证码")


def _english(words: tuple[str, ...]) -> re.Pattern[str]:
    # Longest first, so that the word that is reported is the whole phrase. `\w` would let "re-order" pass as
    # one word and "sender" match nothing; a hyphen is no word boundary here.
    choices = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?<!don't )(?<!do not )(?<!never )(?<!not )({choices})(?![\w-])")


_SENSITIVE = _english((*MONEY, *PEOPLE, *LOSS, *RIGHTS))
_PROTECTED = _english(PROTECTED)
_SENSITIVE_CHINESE = re.compile(rf"(?<![不别勿])(?<!不要)({'|'.join(sorted(CHINESE, key=len, reverse=True))})")
_PROTECTED_CHINESE = re.compile("|".join(CHINESE_PROTECTED))


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(folded.split())


def sensitive(text: str) -> str | None:
    """The first word in the text that a person should decide about, as it stands in the list, or None."""
    plain = _plain(text)
    found = _SENSITIVE.search(plain) or _SENSITIVE_CHINESE.search(plain)
    return found.group(1) if found else None


def protected(text: str) -> bool:
    """Whether a field of that name takes a secret."""
    plain = _plain(text)
    return bool(_PROTECTED.search(plain) or _PROTECTED_CHINESE.search(plain))
