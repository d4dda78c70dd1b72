#!/usr/bin/env python3
"""Verifies a proof export of Manilla, or the pack of a month:

    python3 verify_proof.py <folder or archive> [--public-key <hex>]

It imports nothing of Manilla's and needs nothing but Python 3.8: the format is specified in
docs/proof.md. It checks the signature of the manifest, the chain of every file, and re-adds the books
from the transfers alone. Each fault is named with its file, line, id, what was expected and what was
found. Memory grows with accounts, credits and payouts (some 50 bytes each), not with transfers.

Exit code 0: everything holds. 1: something does not. 2: nothing could be verified.
"""

import argparse
import calendar
import csv
import hashlib
import io
import json
import os
import re
import sys
import zipfile
from array import array
from bisect import bisect_left
from collections import defaultdict

FORMAT = "manilla-proof/1"
LINE_BYTES_MAX = 65536
FAULTS_SHOWN = 50

# Every field of a line, in order: # a number, ? a number or null, $ a text. + is summed in the manifest.
FILES = {
    "accounts.ndjson": "#id $kind $owner $currency $openedAt",
    "credits.ndjson": "#id $bank $currency #+amount #+charges #+reversed #+returned $outcome $receivedAt",
    "payouts.ndjson": "#id $reference $purpose $status $bank $currency #+amount #+fee #+cost ?settlement "
    "$requestedAt",
    "settlements.ndjson": "#id $reference #client $currency $status #+lines #+gross #fees #vat #reversed "
    "#refunds #paidOut #recovered #reserved #released #carried #+net $closedAt",
    "settlement-lines.ndjson": "#id #settlement $kind ?credit ?payout ?adjustment #+gross #fee #vat #split "
    "#reversed #other #+net",
    "adjustments.ndjson": "#id $reference $kind $subject $bank $currency #+amount $state $requestedAt",
    "holds.ndjson": "#id $reference $target $currency #+held #+forfeited $state $placedAt",
    "differences.ndjson": "#id $bank $currency $kind $openedAt",
    "transfers.ndjson": "#id #debit #credit #+amount $reason $cause #causeId $postedAt",
    "balances.ndjson": "#account #+debits #+credits",
}

# Accounts that grow by debits. A bank's may be on either side; all others grow by credits.
DEBIT_KINDS = ("shortfall", "bank_cost", "stamp_duty", "input_vat", "receivable", "write_off",
               "wht_receivable", "wht_credit", "doubtful_debt")
CREDIT_KINDS = (
    "collection", "pending", "available", "subaccount", "settling", "reserve", "paying", "refunding",
    "held", "forfeited", "suspense", "returning", "due_to_bank", "fee_income", "vat_payable",
    "provision",
)
KINDS = ("bank",) + DEBIT_KINDS + CREDIT_KINDS
BANK = 0
HELD, FORFEITED = KINDS.index("held"), KINDS.index("forfeited")
IN_PAYOUTS = {KINDS.index("paying"), KINDS.index("refunding")}
CHARGED = {KINDS.index("fee_income"), KINDS.index("vat_payable")}
SETTLING = KINDS.index("settling")


# ---- Ed25519, verification only: RFC 8032, section 5.1.7 ----

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def point_add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def point_multiply(scalar, p):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = point_add(result, p)
        p = point_add(p, p)
        scalar >>= 1
    return result


def recover_x(y, sign):
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT_OF_MINUS_1 % P
    if (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    return P - x if x & 1 != sign else x


def point_decompress(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


BASE = point_decompress((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def ed25519_verify(public_key, message, signature):
    if len(public_key) != 32 or len(signature) != 64:
        return False
    a, r = point_decompress(public_key), point_decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    h = int.from_bytes(digest, "little") % L
    left, right = point_multiply(s, BASE), point_add(r, point_multiply(h, a))
    same_x = (left[0] * right[2] - right[0] * left[2]) % P == 0
    return same_x and (left[1] * right[2] - right[1] * left[2]) % P == 0


# ---- Faults, and the manifest ----


class CannotVerify(Exception):
    pass


class Faults:
    def __init__(self):
        self.count = 0

    def add(self, place, what, expected=None, found=None):
        self.count += 1
        if self.count <= FAULTS_SHOWN:
            pair = "" if expected is None else f": expected {expected}, found {found}"
            print(f"FAULT {place}: {what}{pair}", flush=True)


def at(name, line, row_id):
    """The place of a fault: file, line and id."""
    return f"{name} line {line} (id {row_id})"


def once(pairs):
    """A JSON object. Refuses a repeated name, for which readers of JSON would differ."""
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a name stands twice")
    return dict(pairs)


def read_manifest(folder):
    path = os.path.join(folder, "manifest.json")
    try:
        with open(path, "rb") as file:
            text = file.read(1 << 20)
    except OSError as error:
        raise CannotVerify(f"{path} cannot be read ({error.strerror}): not a whole export")
    match = re.fullmatch(rb'(.*),\n  "signature": "([0-9a-f]{128})"\n}\n', text, re.DOTALL)
    if not match:
        raise CannotVerify("manifest.json does not end with a signature")
    signed = match.group(1) + b"\n}\n"
    try:
        manifest = json.loads(signed, object_pairs_hook=once)
        files = {each["name"]: each for each in manifest["files"]}
        key = bytes.fromhex(manifest["publicKey"])
        for each in files.values():
            each["sums"] = {name: int(total) for name, total in each["sums"].items()}
            each["lines"], each["chain"] = int(each["lines"]), str(each["chain"])
        header = [str(manifest[each]) for each in ("format", "exportedAt", "product", "mode")]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CannotVerify(f"manifest.json cannot be understood ({error})")
    if header[0] != FORMAT:
        raise CannotVerify(f"manifest.json is of the format {header[0]}; this verifies {FORMAT}")
    if set(files) != set(FILES) or len(manifest["files"]) != len(FILES):
        raise CannotVerify("manifest.json does not name the files of this format")
    return files, header, key, signed, bytes.fromhex(match.group(2).decode())


def check_signature(key, signed, signature, pinned, faults):
    """Checks the signature, and the key if the user has pinned one; returns a verdict to print."""
    if pinned is not None and pinned != key:
        faults.add("manifest.json", "signed with another key", pinned.hex(), key.hex())
    if not ed25519_verify(key, signed, signature):
        faults.add("manifest.json", "the signature is wrong: it was changed since it was signed")
        return "WRONG"
    if pinned is None:
        return f"right, by key {key.hex()}, which was not pinned: compare it, or use --public-key"
    return "right" if pinned == key else "by ANOTHER KEY"


# ---- Lines, and tables of their values ----

VALUES = {
    "#": r'"(0|-?[1-9][0-9]{0,17})"',
    "?": r'(?:"([1-9][0-9]{0,17})"|null)',
    "$": r'"([^"\\\x00-\x1f]*)"',
}


class Reader:
    """Reads a file line by line: its form, its chain, its sums."""

    def __init__(self, folder, manifest, faults):
        self.folder, self.manifest, self.faults = folder, manifest, faults

    def rows(self, name, checked=True):
        fields = FILES[name].split()
        names = [field.lstrip("#?$+") for field in fields]
        form = ",".join(f'"{each}":{VALUES[field[0]]}' for each, field in zip(names, fields))
        match_body = re.compile(("{" + form + "}").encode()).fullmatch
        summed = [index for index, field in enumerate(fields) if "+" in field]
        sums, lines = [0] * len(fields), 0
        chain = hashlib.sha256(name.encode()).hexdigest().encode()
        faults, sha256, shows = self.faults, hashlib.sha256, sys.stderr.isatty()
        try:
            file = open(os.path.join(self.folder, name), "rb")
        except OSError as error:
            faults.add(name, f"cannot be read ({error.strerror})")
            return
        with file:
            for line in iter(lambda: file.readline(LINE_BYTES_MAX), b""):
                lines += 1
                if line[-77:-67] != b',"chain":"' or line[-3:] != b'"}\n':
                    if checked:
                        faults.add(f"{name} line {lines}", "is cut off, or has no chain value")
                    continue
                body, stated = line[:-77] + b"}", line[-67:-3]
                match = match_body(body)
                if checked:
                    computed = sha256(chain + body).hexdigest().encode()
                    if computed != stated:
                        place = at(name, lines, match.group(1).decode() if match else "?")
                        what = "the chain breaks: the line was changed or moved, or others before it"
                        faults.add(place, what, computed.decode(), stated.decode(errors="replace"))
                    chain = stated
                if not match:
                    if checked:
                        faults.add(f"{name} line {lines}", "does not have the fields of this format")
                    continue
                values = match.groups()
                for index in summed:
                    sums[index] += int(values[index])
                if shows and lines % 100000 == 0:
                    print(f"\r{name}: {lines:,} lines ", end="", file=sys.stderr, flush=True)
                yield lines, values
        if checked:
            totals = {names[index]: sums[index] for index in summed}
            self.finish(name, lines, totals, chain.decode(errors="replace"))

    def finish(self, name, lines, totals, chain):
        entry = self.manifest[name]
        if lines != entry["lines"]:
            self.faults.add(name, "number of lines", entry["lines"], lines)
        for field in sorted(set(totals) | set(entry["sums"])):
            if totals.get(field) != entry["sums"].get(field):
                self.faults.add(name, f"sum of {field}", entry["sums"].get(field), totals.get(field))
        if chain != entry["chain"]:
            self.faults.add(f"{name} line {lines}", "the last chain value", entry["chain"], chain)


class Table:
    """Rows by id, in arrays: their values, and the sums of the transfers."""

    def __init__(self, name, measures):
        self.name, self.measures = name, measures
        self.ids, self.lines, self.currency = array("q"), array("I"), array("B")
        self.bank = array("H")
        self.stated = {each: array("q") for each in measures}
        self.found = {each: array("q") for each in measures}

    def add(self, row_id, line, currency, bank, stated, faults):
        if self.ids and row_id <= self.ids[-1]:
            faults.add(at(self.name, line, row_id), "ids must ascend", f"more than {self.ids[-1]}", row_id)
            return False
        self.ids.append(row_id)
        self.lines.append(line)
        self.currency.append(currency)
        self.bank.append(bank)
        for measure, amount in zip(self.measures, stated):
            self.stated[measure].append(amount)
            self.found[measure].append(0)
        return True

    def find(self, row_id):
        ids = self.ids
        if not ids:
            return -1
        guess = row_id - ids[0]
        if 0 <= guess < len(ids) and ids[guess] == row_id:
            return guess
        index = bisect_left(ids, row_id)
        return index if index < len(ids) and ids[index] == row_id else -1

    def wrong(self, faults):
        """Reports rows whose stated amounts differ from the sums of their transfers; returns the ids."""
        ids = set()
        for measure in self.measures:
            stated, found = self.stated[measure], self.found[measure]
            if stated == found:
                continue
            for index, amount in enumerate(stated):
                if amount != found[index]:
                    row_id = self.ids[index]
                    ids.add(row_id)
                    faults.add(at(self.name, self.lines[index], row_id), measure, amount, found[index])
        return ids


class Names:
    """Numbers for texts that repeat, such as currencies."""

    def __init__(self):
        self.numbers = {}

    def number(self, text):
        return self.numbers.setdefault(text, len(self.numbers))

    def text(self, number):
        return list(self.numbers)[number].decode(errors="replace")


# ---- The books ----


class Books:
    """Adds up the ledger from the transfers, and compares it with what the other files state."""

    def __init__(self, reader, faults):
        self.reader, self.faults = reader, faults
        self.currencies, self.banks = Names(), Names()
        self.accounts = Table("accounts.ndjson", ())
        self.kinds, self.debits, self.credits = array("B"), array("q"), array("q")
        self.kind_totals, self.bank_totals = defaultdict(lambda: [0, 0, 0]), {}

    def read(self):
        self.read_accounts()
        self.read_credits()
        self.read_settlements()
        self.read_payouts()
        self.read_adjustments()
        self.read_holds()
        self.read_settlement_lines()
        self.read_transfers()
        accounts = self.check_balances()
        causes = {cause: table.wrong(self.faults) for cause, table in self.causes().items()}
        self.settled.wrong(self.faults)
        if accounts or any(causes.values()):
            self.show_suspects(accounts, causes)

    def causes(self):
        """The tables of the objects that cause transfers, by the field `cause`."""
        return {
            b"credit": self.taken, b"payout": self.paid, b"settlement": self.settlements,
            b"adjustment": self.adjusted, b"hold": self.holds, b"difference": self.booked,
        }

    def read_accounts(self):
        names = {kind.encode(): number for number, kind in enumerate(KINDS)}
        for line, (row_id, kind, owner, currency, _) in self.reader.rows("accounts.ndjson"):
            if kind not in names:
                place, found = at("accounts.ndjson", line, int(row_id)), kind.decode(errors="replace")
                self.faults.add(place, "kind of account", "one of this format", found)
            bank = self.banks.number(owner[5:]) if kind == b"bank" else 0
            place = (int(row_id), line, self.currencies.number(currency), bank)
            if self.accounts.add(*place, (), self.faults):
                self.kinds.append(names.get(kind, names[b"collection"]))
                self.debits.append(0)
                self.credits.append(0)

    def read_credits(self):
        name = "credits.ndjson"
        self.taken = Table(name, ("its transfers from the bank", "what is left of it at the bank"))
        for line, (row_id, bank, currency, *numbers, _, _) in self.reader.rows(name):
            amount, charges, reversed_, returned = map(int, numbers)
            if amount <= 0 or min(charges, reversed_, returned) < 0:
                self.faults.add(at(name, line, int(row_id)), "an amount is not positive")
            stated = (amount, amount - charges - reversed_ - returned)
            numbers = self.currencies.number(currency), self.banks.number(bank)
            self.taken.add(int(row_id), line, *numbers, stated, self.faults)

    def read_settlements(self):
        name = "settlements.ndjson"
        self.settlements = Table(name, ("what its transfers brought to settling",))
        self.settled = Table(name, ("its lines", "gross", "fees", "VAT", "reversed", "net of its lines"))
        for line, (row_id, _, _, currency, status, *numbers, _) in self.reader.rows(name):
            lines, gross, fees, vat, back, refunds, out, recovered, kept, released, carried, net = map(int, numbers)
            sum_ = gross - fees - vat - back - refunds - out - recovered - kept + released + carried
            if sum_ != net or net < 0:
                self.faults.add(at(name, line, int(row_id)), "net", sum_, net)
            place = (int(row_id), line, self.currencies.number(currency), 0)
            is_cancelled = status == b"cancelled"
            if self.settlements.add(*place, (0 if is_cancelled else net,), self.faults):
                stated = (0,) * 6 if is_cancelled else (lines, gross, fees, vat, back, net)
                self.settled.add(*place, stated, self.faults)

    def read_payouts(self):
        measures = ("what it took from the bank", "what is on its way", "fee and VAT charged")
        self.paid = Table("payouts.ndjson", measures)
        for line, values in self.reader.rows("payouts.ndjson"):
            row_id, _, purpose, status, bank, currency, amount, fee, cost, settlement, _ = values
            amount, fee, cost = int(amount), int(fee), int(cost)
            place = at("payouts.ndjson", line, int(row_id))
            if amount <= 0 or fee < 0 or cost < 0:
                self.faults.add(place, "an amount is not positive")
            if settlement is not None and self.settlements.find(int(settlement)) < 0:
                self.faults.add(place, "its settlement", f"settlement {int(settlement)}", "none")
            own = 0 if purpose == b"return" else amount
            stated = (
                own + cost if status == b"confirmed" else 0,
                own if status in (b"queued", b"sending", b"unknown") else 0,
                0 if status in (b"failed", b"cancelled") else fee,
            )
            numbers = self.currencies.number(currency), self.banks.number(bank)
            self.paid.add(int(row_id), line, *numbers, stated, self.faults)

    def read_adjustments(self):
        self.adjusted = Table("adjustments.ndjson", ("its transfers",))
        for line, (row_id, _, _, _, bank, currency, amount, state, _) in self.reader.rows("adjustments.ndjson"):
            numbers = self.currencies.number(currency), self.banks.number(bank)
            stated = (int(amount) if state == b"approved" else 0,)
            self.adjusted.add(int(row_id), line, *numbers, stated, self.faults)
        self.booked = Table("differences.ndjson", ())
        for line, (row_id, bank, currency, _, _) in self.reader.rows("differences.ndjson"):
            numbers = self.currencies.number(currency), self.banks.number(bank)
            self.booked.add(int(row_id), line, *numbers, (), self.faults)

    def read_holds(self):
        self.holds = Table("holds.ndjson", ("what it has on Held", "what it has on Forfeited"))
        for line, (row_id, _, _, currency, held, forfeited, _, _) in self.reader.rows("holds.ndjson"):
            stated = int(held), int(forfeited)
            self.holds.add(int(row_id), line, self.currencies.number(currency), 0, stated, self.faults)

    def read_settlement_lines(self):
        name, last = "settlement-lines.ndjson", 0
        found = [self.settled.found[each] for each in self.settled.measures]
        for line, (row_id, settlement, _, credit, payout, adjustment, *numbers) in self.reader.rows(name):
            row_id = int(row_id)
            gross, fee, vat, split, back, other, net = map(int, numbers)
            if row_id <= last:
                self.faults.add(at(name, line, row_id), "ids must ascend", f"more than {last}", row_id)
            last = row_id
            if gross - fee - vat - split - back + other != net:
                sum_ = gross - fee - vat - split - back + other
                self.faults.add(at(name, line, row_id), "net", sum_, net)
            named = ((self.taken, credit), (self.paid, payout), (self.adjusted, adjustment))
            for table, named_id in named + ((self.settled, settlement),):
                if named_id is not None and table.find(int(named_id)) < 0:
                    self.faults.add(at(name, line, row_id), f"names a line of {table.name}", int(named_id), "none")
            index = self.settled.find(int(settlement))
            if index >= 0:
                for measure, amount in zip(found, (1, gross, fee, vat, back, net)):
                    measure[index] += amount

    def read_transfers(self):
        name, last, faults = "transfers.ndjson", 0, self.faults
        find, currency, kinds = self.accounts.find, self.accounts.currency, self.kinds
        debits, credits, causes = self.debits, self.credits, self.causes()
        adders = {
            b"credit": self.add_to_credit, b"payout": self.add_to_payout, b"settlement": self.add_to_settlement,
            b"adjustment": self.add_to_adjustment, b"hold": self.add_to_hold,
            b"difference": lambda *_: None,
        }
        for line, (row_id, debit, credit, amount, reason, cause, cause_id, _) in self.reader.rows(name):
            row_id, amount = int(row_id), int(amount)
            if row_id <= last:
                faults.add(at(name, line, row_id), "ids must ascend", f"more than {last}", row_id)
            last = row_id
            if amount <= 0:
                faults.add(at(name, line, row_id), "amount", "more than 0", amount)
            d, c = find(int(debit)), find(int(credit))
            if d < 0 or c < 0 or d == c:
                found = f"debit {int(debit)}, credit {int(credit)}"
                faults.add(at(name, line, row_id), "its accounts", "two that exist", found)
                continue
            debits[d] += amount
            credits[c] += amount
            table = causes.get(cause)
            index = table.find(int(cause_id)) if table else -1
            if index < 0:
                found = f"{cause.decode(errors='replace') or 'none'} {int(cause_id)}"
                faults.add(at(name, line, row_id), "its cause", "one that exists", found)
                continue
            of_cause = table.currency[index]
            if not currency[d] == currency[c] == of_cause:
                found = [self.currencies.text(each) for each in (currency[d], currency[c], of_cause)]
                faults.add(at(name, line, row_id), "currencies of its accounts and cause", "one", found)
            for side in (d, c):
                if kinds[side] == BANK and table is not self.settlements and (
                    self.accounts.bank[side] != table.bank[index]
                ):
                    banks = (table.bank[index], self.accounts.bank[side])
                    faults.add(at(name, line, row_id), "bank", *map(self.banks.text, banks))
            adders[cause](index, amount, reason, kinds[d], kinds[c])

    def add_to_credit(self, index, amount, reason, debit, credit):
        brought, left = self.taken.found.values()
        if debit == BANK:
            left[index] += amount
            if reason == b"credit":
                brought[index] += amount
        if credit == BANK:
            left[index] -= amount

    def add_to_payout(self, index, amount, _, debit, credit):
        taken, under_way, charged = self.paid.found.values()
        taken[index] += ((credit == BANK) - (debit == BANK)) * amount
        under_way[index] += ((credit in IN_PAYOUTS) - (debit in IN_PAYOUTS)) * amount
        charged[index] += ((credit in CHARGED) - (debit in CHARGED)) * amount

    def add_to_settlement(self, index, amount, _, debit, credit):
        (settling,) = self.settlements.found.values()
        settling[index] += ((credit == SETTLING) - (debit == SETTLING)) * amount

    def add_to_adjustment(self, index, amount, *_):
        (moved,) = self.adjusted.found.values()
        moved[index] += amount

    def add_to_hold(self, index, amount, _, debit, credit):
        held, forfeited = self.holds.found.values()
        held[index] += ((credit == HELD) - (debit == HELD)) * amount
        forfeited[index] += ((credit == FORFEITED) - (debit == FORFEITED)) * amount

    def check_balances(self):
        name, wrong, next_, sums = "balances.ndjson", set(), 0, defaultdict(lambda: [0, 0])
        ids, faults = self.accounts.ids, self.faults
        for line, (account, debits, credits) in self.reader.rows(name):
            account, debits, credits = int(account), int(debits), int(credits)
            index = self.accounts.find(account)
            if index < 0 or index != next_:
                expected = ids[next_] if next_ < len(ids) else "none"
                faults.add(at(name, line, account), "one line for each account, in order", expected, account)
                if index < 0:
                    continue
            next_ = index + 1
            kind = self.kinds[index]
            sides = ("debits", debits, self.debits[index]), ("credits", credits, self.credits[index])
            for side, stated, found in sides:
                if stated != found:
                    wrong.add(account)
                    what = f"{side} of the {KINDS[kind]} account, by its transfers and here"
                    faults.add(at(name, line, account), what, found, stated)
            over = credits - debits if KINDS[kind] in DEBIT_KINDS else debits - credits
            if kind != BANK and over > 0:
                faults.add(at(name, line, account), f"the {KINDS[kind]} account is below zero", "0 or more", -over)
            currency = self.currencies.text(self.accounts.currency[index])
            sums[currency][0] += debits
            sums[currency][1] += credits
            total = self.kind_totals[(currency, kind)]
            for column, amount in enumerate((1, debits, credits)):
                total[column] += amount
            if kind == BANK:
                bank = self.banks.text(self.accounts.bank[index])
                self.bank_totals[(currency, bank)] = debits - credits
        if next_ != len(ids):
            faults.add(name, "accounts with a balance", len(ids), next_)
        for currency, (debits, credits) in sums.items():
            if debits != credits:
                faults.add(name, f"all balances in {currency} sum to", 0, debits - credits)
        return wrong

    def show_suspects(self, accounts, causes):
        """The transfers that explain a wrong sum: between two wrong accounts, of a wrong cause."""
        shown, any_cause = 0, any(causes.values())
        for line, values in self.reader.rows("transfers.ndjson", checked=False):
            row_id, debit, credit, amount, _, cause, cause_id, _ = values
            if accounts and not (int(debit) in accounts and int(credit) in accounts):
                continue
            if any_cause and int(cause_id) not in causes.get(cause, ()):
                continue
            print(f"LOOK AT transfers.ndjson line {line} (id {int(row_id)}): {int(amount)} from account "
                  f"{int(debit)} to {int(credit)}, {cause.decode(errors='replace')} {int(cause_id)}")
            shown += 1
            if shown == 10:
                break

    def show(self):
        print(f"\n  {'account kind':16} {'':3} {'accounts':>10} {'debits':>26} {'credits':>26} {'balance':>26}")
        for (currency, kind), (count, debits, credits) in sorted(self.kind_totals.items()):
            grows = KINDS[kind] in DEBIT_KINDS + ("bank",)
            balance = debits - credits if grows else credits - debits
            amounts = "".join(f" {money(each):>26}" for each in (debits, credits, balance))
            print(f"  {KINDS[kind]:16} {currency:3} {count:>10,}{amounts}")
        for (currency, bank), balance in sorted(self.bank_totals.items()):
            print(f"  the books' balance at bank {bank}: {currency} {money(balance)}")


# ---- The pack of a closed month ----

PACK_FORMAT = "manilla-month/2"

# Columns of each file, in order. + is an amount, blank for zero; ? is an amount, blank if it is not known.
PACK_FILES = {
    "opening-trial-balance.csv": "account accountCode accountName +debit +credit currency",
    "trial-balance.csv": "account accountCode accountName +debit +credit currency",
    "journal.csv": "date account accountCode accountName +debit +credit currency reason clientId bankCode",
    "bank-balances.csv": "bankCode currency +opening +closing",
    "reconciliation.csv": "bankCode currency day status ?statement ?ledger ?timing ?waiting ?crossDay ?noted "
    "?difference openDifferences",
    "timing-items.csv": "bankCode currency fromDay untilDay kind +amount line item reason",
    "reconciling-items.csv": "bankCode currency day state kind +amount difference line item reason",
    "suspense-ageing.csv": "bankCode clientId reason ageDays count +amount currency",
    "vat.csv": "side clientId bankCode +base +charged +givenBack +vat currency",
    "vat-invoices.csv": "number kind clientId month +fees +vat +total +withholdingTax currency",
    "withholding-tax.csv": "clientId +invoiced +withheld +creditNotes +writtenOff +receivable currency",
    "stamp-duty.csv": "bankCode +charged +givenBack +duty transfers +expected currency",
}
MANIFEST_BYTES_MAX = 1 << 20


def read_pack(path):
    """Returns the files of a pack by name, from a folder or a ZIP archive; None if it is no pack."""
    if os.path.isdir(path):
        found = [each for each in ("manifest.json", *PACK_FILES) if os.path.isfile(os.path.join(path, each))]
        if "journal.csv" not in found:
            return None
        files = {}
        for each in found:
            with open(os.path.join(path, each), "rb") as file:
                files[each] = file.read()
        return files
    if not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as archive:
        broken = archive.testzip()
        if broken is not None:
            raise CannotVerify(f"{broken} is damaged in the archive")
        if len(set(archive.namelist())) != len(archive.namelist()):
            raise CannotVerify("a file is in the archive twice")
        return {each: archive.read(each) for each in archive.namelist()}


def total(rows, keys, amount_of):
    """Sums of amounts by the values of the keys."""
    sums = defaultdict(int)
    for row in rows:
        sums[tuple(row[each] for each in keys)] += amount_of(row)
    return sums


class Pack:
    """Adds up the files of a pack again, each from the others."""

    def __init__(self, files, month, faults):
        self.month, self.faults = month, faults
        self.tables = {name: list(self.read(name, files.get(name, b""))) for name in PACK_FILES}

    def read(self, name, content):
        fields = PACK_FILES[name].split()
        columns = [each.lstrip("+?") for each in fields]
        try:
            rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
            header, *lines = rows or [[]]
        except (UnicodeDecodeError, ValueError, csv.Error) as error:
            self.faults.add(name, f"cannot be read ({error})")
            return
        if header != columns:
            self.faults.add(name, "has other columns", " ".join(columns), " ".join(header))
            return
        for number, line in enumerate(lines, 2):
            place = f"{name} line {number}"
            if len(line) != len(columns):
                self.faults.add(place, "number of columns", len(columns), len(line))
                continue
            row = dict(zip(columns, line), place=place)
            for field in fields:
                if field[0] in "+?":
                    row[field[1:]] = self.kobo(row[field[1:]], field[0], place)
            yield row

    def kobo(self, text, kind, place):
        if text == "":
            return 0 if kind == "+" else None
        if not re.fullmatch(r"-?[0-9]{1,17}\.[0-9]{2}", text):
            self.faults.add(place, "is no amount", "0.00", text)
            return 0
        return int(text.replace(".", ""))

    def compare(self, name, what, expected, found):
        """Names each key whose sums differ."""
        for key in sorted(set(expected) | set(found)):
            if expected.get(key, 0) != found.get(key, 0):
                self.faults.add(f"{name}: {' '.join(filter(None, key))}", what, money(expected.get(key, 0)),
                                money(found.get(key, 0)))

    def check(self, manifest):
        self.check_books()
        self.check_banks()
        self.check_proofs()
        self.check_suspense()
        self.check_vat(manifest)
        self.check_withholding()
        self.check_stamp_duty()

    def balance(self, name, account, sign=1):
        """The balance of an account in a trial balance, by currency."""
        rows = [row for row in self.tables[name] if row["account"] == account]
        return total(rows, ["currency"], lambda row: sign * (row["debit"] - row["credit"]))

    def moved(self, account, side, keys=("currency",), reasons=None):
        """Sums one or both sides of an account in the journal, for all reasons or for some."""
        sides = {"debit": (1, 0), "credit": (0, 1), "net": (1, -1)}
        debit, credit = sides[side]
        rows = [row for row in self.tables["journal.csv"]
                if row["account"] == account and (reasons is None or row["reason"] in reasons)]
        return total(rows, keys, lambda row: debit * row["debit"] + credit * row["credit"])

    def check_books(self):
        journal = self.tables["journal.csv"]
        for row in journal:
            if not re.fullmatch(re.escape(self.month) + "-[0-9]{2}", row["date"]):
                self.faults.add(row["place"], "is of another month", self.month, row["date"])
        for name, keys in (("opening-trial-balance.csv", ["currency"]), ("trial-balance.csv", ["currency"]),
                           ("journal.csv", ["currency", "date"])):
            rows = self.tables[name]
            debits, credits = (total(rows, keys, lambda row: row[side]) for side in ("debit", "credit"))
            self.compare(name, "credits must equal debits", debits, credits)
            for currency in sorted({row["currency"] for row in rows}):
                sums = [sum(row[side] for row in rows if row["currency"] == currency)
                        for side in ("debit", "credit")]
                print(f"  {name}: {currency} debits {money(sums[0])}, credits {money(sums[1])}")
        keys = ["account", "currency"]
        closing, expected = (
            total(rows, keys, lambda row: row["debit"] - row["credit"])
            for rows in (self.tables["trial-balance.csv"], self.tables["opening-trial-balance.csv"] + journal)
        )
        self.compare("trial-balance.csv", "must be opening-trial-balance.csv and journal.csv", expected, closing)

    def check_banks(self):
        name, keys = "bank-balances.csv", ["bankCode", "currency"]
        rows = self.tables[name]
        self.refuse_repeated(name, keys)
        opening, closing = (total(rows, keys, lambda row: row[each]) for each in ("opening", "closing"))
        moved = self.moved("bank", "net", keys)
        expected = {key: opening.get(key, 0) + moved.get(key, 0) for key in set(opening) | set(moved)}
        self.compare(name, "closing must be opening and journal.csv", expected, closing)
        for side, balances in (("opening", "opening-trial-balance.csv"), ("closing", "trial-balance.csv")):
            sums = total(rows, ["currency"], lambda row: row[side])
            self.compare(name, f"{side} must be the banks in {balances}", self.balance(balances, "bank"), sums)

    def refuse_repeated(self, name, keys):
        places = {}
        for row in self.tables[name]:
            key = tuple(row[each] for each in keys)
            if key in places:
                self.faults.add(row["place"], f"repeats {places[key]}")
            places[key] = row["place"]

    def check_proofs(self):
        """statement = ledger + timing + noted + difference, for each bank and day."""
        name = "reconciliation.csv"
        self.refuse_repeated(name, ["bankCode", "currency", "day"])
        year, month = (int(each) for each in self.month.split("-"))
        days = [f"{self.month}-{day:02d}" for day in range(1, calendar.monthrange(year, month)[1] + 1)]
        proofs = {(row["bankCode"], row["currency"], row["day"]): row for row in self.tables[name]}
        opening = total(self.tables["bank-balances.csv"], ["bankCode", "currency"], lambda row: row["opening"])
        banks = sorted(set(opening) | {(bank, currency) for bank, currency, _ in proofs})
        for bank, currency, day in sorted(set(proofs) - {(*bank, day) for bank in banks for day in days}):
            self.faults.add(proofs[bank, currency, day]["place"], "is of another month", self.month, day)
        moved = self.moved("bank", "net", ["bankCode", "currency", "date"])
        items = self.items_by_day(days)
        for bank in banks:
            ledger, wrong = opening.get(bank, 0), set()
            for day in days:
                ledger += moved.get((*bank, day), 0)
                row = proofs.get((*bank, day))
                if row is None:
                    self.faults.add(f"{name}: {' '.join(bank)} {day}", "is missing")
                else:
                    self.check_proof(row, ledger, items[(*bank, day)], wrong)
            if (*bank, days[-1]) in proofs:
                self.show_proof(bank, proofs[(*bank, days[-1])])

    def items_by_day(self, days):
        """For each bank and day: sums of what waits, crosses days, is noted and is open; how many are open."""
        items = defaultdict(lambda: defaultdict(int))
        for row in self.tables["timing-items.csv"]:
            is_crossing = row["kind"] == "crossDay"
            if row["kind"] not in ("waiting", "crossDay") or is_crossing != (row["untilDay"] > row["fromDay"]):
                self.faults.add(row["place"], "is neither waiting nor between two days")
            for day in days:
                if row["fromDay"] <= day and not (is_crossing and day >= row["untilDay"]):
                    items[row["bankCode"], row["currency"], day][row["kind"]] += row["amount"]
        for row in self.tables["reconciling-items.csv"]:
            if row["state"] not in ("noted", "open"):
                self.faults.add(row["place"], "state", "noted or open", row["state"])
            for day in days:
                if row["day"] <= day:
                    of_day = items[row["bankCode"], row["currency"], day]
                    of_day[row["state"]] += row["amount"]
                    of_day[f"{row['state']} count"] += 1
        return items

    def check_proof(self, row, ledger, items, wrong):
        names = ("statement", "ledger", "timing", "waiting", "crossDay", "noted", "difference")
        unknown = [name for name in names if row[name] is None]
        if unknown or row["status"] == "missing_statement":
            if len(unknown) != len(names) or row["status"] != "missing_statement":
                self.faults.add(row["place"], "has amounts although no statement covers it, or lacks some")
            return
        parts = row["ledger"] + row["timing"] + row["noted"] + row["difference"]
        status = "differences" if items["open count"] or row["difference"] else (
            "reconciling_items" if items["noted count"] else "balanced")
        for what, expected, found in (
            ("statement must be ledger, timing, noted and difference", parts, row["statement"]),
            ("timing must be waiting and crossDay", row["waiting"] + row["crossDay"], row["timing"]),
            ("ledger must be bank-balances.csv and journal.csv", ledger, row["ledger"]),
            ("waiting must be timing-items.csv", items["waiting"], row["waiting"]),
            ("crossDay must be timing-items.csv", items["crossDay"], row["crossDay"]),
            ("noted must be reconciling-items.csv", items["noted"], row["noted"]),
            ("difference must be reconciling-items.csv", items["open"], row["difference"]),
            ("openDifferences must be reconciling-items.csv", str(items["open count"]), row["openDifferences"]),
            ("status", status, row["status"]),
        ):
            # What differs on one day differs on the following days, too. It is named once.
            if expected != found and what not in wrong:
                wrong.add(what)
                shown = (money(each) if isinstance(each, int) else each for each in (expected, found))
                self.faults.add(f"{row['place']} (bank {row['bankCode']}, {row['day']})", what, *shown)

    def show_proof(self, bank, row):
        if row["statement"] is None:
            print(f"  bank {' '.join(bank)}: no statement covers {row['day']}")
            return
        amounts = ", ".join(f"{name} {money(row[name])}" for name in ("timing", "noted", "difference"))
        print(f"  bank {' '.join(bank)}: statement {money(row['statement'])}, ledger {money(row['ledger'])}, {amounts}")

    def check_suspense(self):
        found = total(self.tables["suspense-ageing.csv"], ["currency"], lambda row: row["amount"])
        expected = self.balance("trial-balance.csv", "suspense", -1)
        self.compare("suspense-ageing.csv", "must be suspense in trial-balance.csv", expected, found)

    def check_vat(self, manifest):
        name, client, bank = "vat.csv", ["clientId", "currency"], ["bankCode", "currency"]
        sides = {side: [row for row in self.tables[name] if row["side"] == side]
                 for side in ("output", "input", "payable")}
        if sum(map(len, sides.values())) != len(self.tables[name]):
            self.faults.add(name, "has a side that is not output, input or payable")
        output, paid = sides["output"], sides["input"]
        fees, vat = (self.moved(account, "net", client) for account in ("fee_income", "vat_payable"))
        for what, rows, expected in (
            ("base", output, {key: -amount for key, amount in fees.items()}),
            ("vat", output, {key: -amount for key, amount in vat.items()}),
            ("charged", output, self.moved("vat_payable", "credit", client)),
            ("givenBack", output, self.moved("vat_payable", "debit", client)),
            ("base", paid, self.moved("bank_cost", "net", bank)),
            ("vat", paid, self.moved("input_vat", "net", bank)),
        ):
            found = total(rows, client if rows is output else bank, lambda row: row[what])
            self.compare(name, f"{what} must be journal.csv", expected, found)
        payable = total(output, ["currency"], lambda row: row["vat"])
        for row in paid:
            payable[row["currency"],] -= row["vat"]
        found = total(sides["payable"], ["currency"], lambda row: row["vat"])
        self.compare(name, "payable must be output less input", payable, found)
        self.check_documents(manifest)

    def check_documents(self, manifest):
        """All documents of the month, if they were issued; those that were, otherwise."""
        name, keys = "vat-invoices.csv", ["clientId", "currency"]
        self.refuse_repeated(name, ["number"])
        is_issued = any(each.get("name") == "vat_ready" and each.get("isDone") for each in manifest["checklist"])
        for row in self.tables[name]:
            if row["month"] != self.month:
                self.faults.add(row["place"], "is of another month", self.month, row["month"])
            if row["total"] != row["fees"] + row["vat"]:
                sums = money(row["fees"] + row["vat"]), money(row["total"])
                self.faults.add(row["place"], "total must be fees and vat", *sums)
        for kind, side in (("invoice", "credit"), ("credit_note", "debit")):
            rows = [row for row in self.tables[name] if row["kind"] == kind]
            named = {tuple(row[each] for each in keys) for row in rows}
            for column, account in (("fees", "fee_income"), ("vat", "vat_payable")):
                expected = self.moved(account, side, keys)
                if not is_issued:
                    expected = {key: amount for key, amount in expected.items() if key in named}
                found = total(rows, keys, lambda row: row[column])
                self.compare(name, f"{column} of each {kind} must be journal.csv", expected, found)

    def check_withholding(self):
        """Withholding tax (wht): invoiced, withheld, written off, and still receivable."""
        name, client = "withholding-tax.csv", ["clientId", "currency"]
        rows = self.tables[name]
        invoiced = total(self.tables["vat-invoices.csv"], client, lambda row: (
            row["withholdingTax"] if row["kind"] == "invoice" else -row["withholdingTax"]))
        withheld = self.moved("wht_receivable", "net", client, ("withholding", "withholding_reversal"))
        written_off = self.moved("wht_receivable", "net", client, ("write_off",))
        for column, source, expected in (
            ("invoiced", "vat-invoices.csv", invoiced),
            ("withheld", "journal.csv", withheld),
            ("creditNotes", "journal.csv", self.moved("wht_credit", "net", client)),
            ("writtenOff", "journal.csv", {key: -amount for key, amount in written_off.items()}),
        ):
            found = total(rows, client, lambda row: row[column])
            self.compare(name, f"{column} must be {source}", expected, found)
        receivable = total(rows, ["currency"], lambda row: row["receivable"])
        expected = self.balance("trial-balance.csv", "wht_receivable")
        self.compare(name, "receivable must be in trial-balance.csv", expected, receivable)

    def check_stamp_duty(self):
        name, bank = "stamp-duty.csv", ["bankCode", "currency"]
        for column, side in (("charged", "debit"), ("givenBack", "credit"), ("duty", "net")):
            found = total(self.tables[name], bank, lambda row: row[column])
            self.compare(name, f"{column} must be journal.csv", self.moved("stamp_duty", side, bank), found)


def check_pack(files, pinned, faults):
    text = files.get("manifest.json", b"")[:MANIFEST_BYTES_MAX]
    match = re.fullmatch(rb'(.*),\n  "signature": "([0-9a-f]{128})"\n}\n', text, re.DOTALL)
    if not match:
        raise CannotVerify("manifest.json does not end with a signature")
    signed = match.group(1) + b"\n}\n"
    try:
        manifest = json.loads(signed, object_pairs_hook=once)
        hashes = {each["name"]: each["sha256"] for each in manifest["files"]}
        key, month = bytes.fromhex(manifest["publicKey"]), str(manifest["month"])
        version, pack_format = manifest["version"], manifest["format"]
        is_month = re.fullmatch("[0-9]{4}-(0[1-9]|1[0-2])", month) and isinstance(manifest["checklist"], list)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CannotVerify(f"manifest.json cannot be understood ({error})")
    if pack_format != PACK_FORMAT:
        raise CannotVerify(f"manifest.json is of the format {pack_format}; this verifies {PACK_FORMAT}")
    if not is_month:
        raise CannotVerify("manifest.json names no month, or has no checklist")
    print(f"Month {month}, version {version}")
    verdict = check_signature(key, signed, bytes.fromhex(match.group(2).decode()), pinned, faults)
    if set(files) - {"manifest.json"} != set(PACK_FILES) or set(hashes) != set(PACK_FILES):
        faults.add("the pack", "has other files", sorted(PACK_FILES), sorted(set(files) | set(hashes)))
    for name, digest in hashes.items():
        found = hashlib.sha256(files.get(name, b"")).hexdigest()
        if found != digest:
            faults.add(name, "was changed since it was signed", digest, found)
    Pack(files, month, faults).check(manifest)
    print(f"\n  signature: {verdict}")


def money(kobo):
    return f"{'-' if kobo < 0 else ''}{abs(kobo) // 100:,}.{abs(kobo) % 100:02d}"


def public_key(text):
    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError("must be 64 hexadecimal digits")
    return bytes.fromhex(text)


def main():
    parser = argparse.ArgumentParser(description="Verifies a proof export, or the pack of a closed month, of Manilla.")
    parser.add_argument("folder")
    parser.add_argument("--public-key", type=public_key, metavar="HEX", help="the key you trust")
    options, faults = parser.parse_args(), Faults()
    try:
        pack = read_pack(options.folder)
        if pack is not None:
            check_pack(pack, options.public_key, faults)
            print(f"{faults.count} faults." if faults.count else "Verified: everything adds up.")
            return 1 if faults.count else 0
        files, header, key, signed, signature = read_manifest(options.folder)
        _, exported_at, product, mode = header
        print(f"{options.folder}: {product}, {mode}, exported at {exported_at}")
        verdict = check_signature(key, signed, signature, options.public_key, faults)
        reader = Reader(options.folder, files, faults)
        books = Books(reader, faults)
        books.read()
    except CannotVerify as error:
        print(f"Cannot verify: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"Cannot verify: {error}", file=sys.stderr)
        return 2
    except OverflowError:
        faults.add("the books", "sums exceed 64 bits")
    else:
        books.show()
        print(f"\n  signature: {verdict}")
        print("  " + ", ".join(f"{each['lines']:,} {name[:-7]}" for name, each in files.items()))
    if faults.count > FAULTS_SHOWN:
        print(f"… and {faults.count - FAULTS_SHOWN} faults more.")
    print(f"{faults.count} faults." if faults.count else "Verified: everything adds up.")
    return 1 if faults.count else 0


if __name__ == "__main__":
    sys.exit(main())
