"""The invented people a fresh phone knows. Numbers are from ranges kept free for fiction, hosts from RFC 2606."""

from __future__ import annotations

PEOPLE: tuple[tuple[str, str, str, str, str, bool], ...] = (
    ("Alex", "Chen", "Northwind Bikes", "+1 555 0101", "alex.chen@example.com", False),
    ("Alex", "Chen", "Lumen Optics", "+1 555 0102", "a.chen@example.org", False),
    ("Amina", "Diallo", "Savane Radio", "+1 555 0103", "amina@example.net", True),
    ("Åsa", "Lindqvist", "", "+1 555 0104", "asa.lindqvist@example.com", False),
    ("Benjamin", "Okafor", "Harbour Clinic", "+1 555 0105", "", False),
    ("Björk", "Jónsdóttir", "Fjord Maps", "+1 555 0106", "bjork@example.org", False),
    ("Chloé", "Lefèvre", "Atelier Lune", "+1 555 0107", "chloe.lefevre@example.com", False),
    ("Dmitri", "Orlov", "", "+1 555 0108", "", False),
    ("Élodie", "Martin", "Papier & Fils", "+1 555 0109", "elodie@example.net", False),
    ("Fatima", "El Amrani", "Medina Books", "+1 555 0110", "fatima@example.com", False),
    ("Grace", "Kim", "Paper Kites", "+1 555 0111", "grace.kim@example.com", True),
    ("Hana", "Nováková", "", "+1 555 0112", "", False),
    ("José", "Núñez", "Casa del Mar", "+1 555 0113", "jose.nunez@example.org", False),
    ("Kenji", "Watanabe", "Lantern Games", "+1 555 0114", "kenji@example.com", False),
    ("Lena", "Müller", "Grünwerk", "+1 555 0115", "lena.mueller@example.net", False),
    ("Nikolaos", "Papadakis", "", "+1 555 0116", "", False),
    ("Olivia", "Brown", "City Library", "+1 555 0117", "olivia.brown@example.com", False),
    ("Priya", "Raman", "Fable Mobile", "+1 555 0118", "priya@example.com", True),
    ("Tomás", "O'Neill", "", "+1 555 0119", "tomas@example.org", False),
    ("Zoë", "van den Berg", "Wind & Water", "+1 555 0120", "zoe@example.net", False),
    ("Анна", "Соколова", "", "+1 555 0121", "anna@example.com", False),
    ("Γιώργος", "Νικολάου", "", "+1 555 0122", "", False),
    ("伟", "张", "蓝山茶馆", "+1 555 0123", "zhangwei@example.com", False),
    ("小雨", "李", "", "+1 555 0124", "xiaoyu.li@example.org", False),
    ("さくら", "田中", "あさひ堂", "+1 555 0125", "sakura@example.net", False),
)
"""First name, last name, company, phone, email, starred."""
