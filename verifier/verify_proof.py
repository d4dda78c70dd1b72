#!/usr/bin/env python3
"""Verifies a proof export of Manilla: python3 verify_proof.py <folder> [--public-key <hex>]

It imports nothing of Manilla's and needs nothing but Python 3.8: the format is specified in
docs/proof.md. It checks the signature of the manifest, the chain of every file, and re-adds the books
from the transfers alone. Each fault is named with its file, line, id, what was expected and what was
found. Memory grows with accounts, credits and payouts (some 50 bytes each), not with transfers.

Exit code 0: everything holds. 1: something does not. 2: nothing could be verified.
"""

import argparse
import hashlib
import json
import os
import re
import sys
from array import array
from bisect import bisect_left
from collections import defaultdict

LINE_BYTES_MAX = 65536
FAULTS_SHOWN = 50

# Every field of a line, in order: # a number, ? a number or null, $ a text. + is summed in the manifest.
FILES = {
    "accounts.ndjson": "#id $kind $owner $currency $openedAt",
    "archives.ndjson": "#id $month #+credits #+amount #+charges $endsAt $manifest",
    "credits.ndjson": "#id $bank $currency #+amount #+charges #+reversed #+returned $outcome $receivedAt "
    "?archive",
    "payouts.ndjson": "#id $reference $purpose $status $bank $currency #+amount #+fee #+cost ?settlement "
    "$requestedAt",
    "settlements.ndjson": "#id $reference #client $currency $status #+lines #+gross #fees #vat #reversed "
    "#refunds #paidOut #recovered #reserved #released #carried #+net $closedAt",
    "settlement-lines.ndjson": "#id #settlement $kind ?credit ?payout ?adjustment #+gross #fee #vat #split "
    "#reversed #other #+net",
    "adjustments.ndjson": "#id $reference $kind $subject $bank $currency #+amount $state $requestedAt",
    "differences.ndjson": "#id $bank $currency $kind $openedAt",
    "transfers.ndjson": "#id #debit #credit #+amount $reason $cause #causeId $postedAt",
    "balances.ndjson": "#account #+debits #+credits",
}
# The first version had no archives.
FILES_1 = {name: form for name, form in FILES.items() if name != "archives.ndjson"}
FILES_1["credits.ndjson"] = FILES["credits.ndjson"].replace(" ?archive", "")
FORMATS = {"manilla-proof/1": FILES_1, "manilla-proof/2": FILES}

# Accounts that grow by debits. A bank's may be on either side; all others grow by credits.
DEBIT_KINDS = ("shortfall", "bank_cost", "input_vat", "receivable", "write_off")
CREDIT_KINDS = (
    "collection", "pending", "available", "subaccount", "settling", "reserve", "paying", "refunding",
    "suspense", "returning", "fee_income", "vat_payable",
)
KINDS = ("bank",) + DEBIT_KINDS + CREDIT_KINDS
BANK = 0
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
    return f"{name} line {line} (id {row_id})"


def once(pairs):
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
        companions = {each["name"]: each for each in manifest.get("companions", [])}
        key = bytes.fromhex(manifest["publicKey"])
        for each in [*files.values(), *companions.values()]:
            each["sums"] = {name: int(total) for name, total in each["sums"].items()}
            each["lines"], each["chain"] = int(each["lines"]), str(each["chain"])
        told = [str(manifest[each]) for each in ("format", "exportedAt", "product", "mode")]
        named = [*manifest["files"], *manifest.get("companions", [])]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CannotVerify(f"manifest.json cannot be understood ({error})")
    if told[0] not in FORMATS:
        raise CannotVerify(f"manifest.json is of the format {told[0]}; this verifies {' and '.join(FORMATS)}")
    names = set(files) | set(companions)
    if set(files) != set(FORMATS[told[0]]) or len(names) != len(named):
        raise CannotVerify("manifest.json does not name the files of this format")
    if not all(re.fullmatch(r"[a-z-]+\.ndjson", name) for name in companions):
        raise CannotVerify("manifest.json names a companion that is no file of the folder")
    return files, companions, told, key, signed, bytes.fromhex(match.group(2).decode())


def check_signature(key, signed, signature, pinned, faults):
    if pinned is not None and pinned != key:
        faults.add("manifest.json", "signed with another key", pinned.hex(), key.hex())
    if not ed25519_verify(key, signed, signature):
        faults.add("manifest.json", "the signature is wrong: it was changed since it was signed")
        return "WRONG"
    if pinned is None:
        return f"right, by key {key.hex()}, which was not pinned: compare it, or use --public-key"
    return "right" if pinned == key else "by ANOTHER KEY"


# ---- Lines, and tables of what they say ----

VALUES = {
    "#": r'"(0|-?[1-9][0-9]{0,17})"',
    "?": r'(?:"([1-9][0-9]{0,17})"|null)',
    "$": r'"([^"\\\x00-\x1f]*)"',
}


# Of a companion only that each line begins with its id. Of one that was erased nothing else is left.
COMPANION = re.compile(rb'\{"id":"([1-9][0-9]{0,17})",.*\}')
ERASED = re.compile(rb'\{"id":"[1-9][0-9]{0,17}","erased":"yes"\}')


class Reader:
    """Reads a file line by line: its form, its chain, its sums."""

    def __init__(self, folder, manifest, forms, faults):
        self.folder, self.manifest, self.forms, self.faults = folder, manifest, forms, faults
        self.erased = defaultdict(int)

    def rows(self, name, checked=True):
        fields = self.forms.get(name, "").split()
        names = [field.lstrip("#?$+") for field in fields]
        form = ",".join(f'"{each}":{VALUES[field[0]]}' for each, field in zip(names, fields))
        whole = re.compile(("{" + form + "}").encode()) if form else COMPANION
        match_body = whole.fullmatch
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
                if not form and ERASED.fullmatch(body):
                    self.erased[name] += 1
                    chain = stated
                    continue
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
        told = self.manifest[name]
        if lines != told["lines"]:
            self.faults.add(name, "number of lines", told["lines"], lines)
        for field in sorted(set(totals) | set(told["sums"])):
            if totals.get(field) != told["sums"].get(field):
                self.faults.add(name, f"sum of {field}", told["sums"].get(field), totals.get(field))
        if chain != told["chain"]:
            self.faults.add(f"{name} line {lines}", "the last chain value", told["chain"], chain)


class Table:
    """Rows by id, in arrays: what each says, and what the transfers add up to."""

    def __init__(self, name, measures):
        self.name, self.measures = name, measures
        self.ids, self.lines, self.currency = array("q"), array("I"), array("B")
        self.bank = array("H")
        self.said = {each: array("q") for each in measures}
        self.found = {each: array("q") for each in measures}

    def add(self, row_id, line, currency, bank, said, faults):
        if self.ids and row_id <= self.ids[-1]:
            faults.add(at(self.name, line, row_id), "ids must ascend", f"more than {self.ids[-1]}", row_id)
            return False
        self.ids.append(row_id)
        self.lines.append(line)
        self.currency.append(currency)
        self.bank.append(bank)
        for measure, amount in zip(self.measures, said):
            self.said[measure].append(amount)
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
        ids = set()
        for measure in self.measures:
            said, found = self.said[measure], self.found[measure]
            if said == found:
                continue
            for index, amount in enumerate(said):
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
    def __init__(self, reader, faults):
        self.reader, self.faults = reader, faults
        self.currencies, self.banks = Names(), Names()
        self.accounts = Table("accounts.ndjson", ())
        self.kinds, self.debits, self.credits = array("B"), array("q"), array("q")
        self.kind_totals, self.bank_totals = defaultdict(lambda: [0, 0, 0]), {}
        # By archive, bank and currency: what its credits should have brought and left there, and did.
        self.archived = defaultdict(lambda: [0, 0, 0, 0])

    def read(self):
        self.read_accounts()
        self.read_archives()
        self.read_credits()
        self.read_settlements()
        self.read_payouts()
        self.read_adjustments()
        self.read_settlement_lines()
        self.read_transfers()
        accounts = self.check_balances()
        causes = {cause: table.wrong(self.faults) for cause, table in self.causes().items()}
        causes[b"archive"] |= self.check_archived()
        self.settled.wrong(self.faults)
        if accounts or any(causes.values()):
            self.show_suspects(accounts, causes)

    def causes(self):
        return {
            b"archive": self.archives, b"credit": self.taken, b"payout": self.paid,
            b"settlement": self.settlements, b"adjustment": self.adjusted, b"difference": self.booked,
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

    def read_archives(self):
        name = "archives.ndjson"
        measures = ("its credits", "amount of its credits", "charges of its credits")
        self.archives, self.archive_ends = Table(name, measures), []
        if name not in self.reader.forms:
            return
        for line, (row_id, _, credits, amount, charges, ends_at, _) in self.reader.rows(name):
            said = (int(credits), int(amount), int(charges))
            if self.archives.add(int(row_id), line, 0, 0, said, self.faults):
                self.archive_ends.append(ends_at)

    def read_credits(self):
        name = "credits.ndjson"
        self.taken = Table(name, ("its transfers from the bank", "what is left of it at the bank"))
        for line, (row_id, bank, currency, *numbers, _, received_at, archive) in self.credit_rows():
            amount, charges, reversed_, returned = map(int, numbers)
            place = at(name, line, int(row_id))
            if amount <= 0 or min(charges, reversed_, returned) < 0:
                self.faults.add(place, "an amount is not positive")
            said = (amount, amount - charges - reversed_ - returned)
            numbers = self.currencies.number(currency), self.banks.number(bank)
            # Of an archived credit there are no transfers but those that stand for all of the archive's.
            own = said if archive is None else (0, 0)
            if self.taken.add(int(row_id), line, *numbers, own, self.faults) and archive is not None:
                self.add_archived(place, int(archive), (amount, charges, received_at), (*numbers, *said))

    def credit_rows(self):
        has_archives = "archives.ndjson" in self.reader.forms
        for line, values in self.reader.rows("credits.ndjson"):
            yield line, values if has_archives else (*values, None)

    def add_archived(self, place, archive, credit, part):
        (amount, charges, received_at), (currency, bank, brought, left) = credit, part
        index = self.archives.find(archive)
        if index < 0:
            self.faults.add(place, "its archive", f"archive {archive}", "none")
            return
        self.check_time(place, received_at, index)
        for found, more in zip(self.archives.found.values(), (1, amount, charges)):
            found[index] += more
        sums = self.archived[(index, bank, currency)]
        sums[0] += brought
        sums[1] += left

    def check_time(self, place, time, index):
        """What an archive stands for was before its end: from there on the ledger has every transfer."""
        if time >= self.archive_ends[index]:
            times = (self.archive_ends[index], time)
            expected, found = (each.decode(errors="replace") for each in times)
            self.faults.add(place, "is archived", f"a time before {expected}", found)

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
            gone = status == b"cancelled"
            if self.settlements.add(*place, (0 if gone else net,), self.faults):
                said = (0,) * 6 if gone else (lines, gross, fees, vat, back, net)
                self.settled.add(*place, said, self.faults)

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
            said = (
                own + cost if status == b"confirmed" else 0,
                own if status in (b"queued", b"sending", b"unknown") else 0,
                0 if status in (b"failed", b"cancelled") else fee,
            )
            numbers = self.currencies.number(currency), self.banks.number(bank)
            self.paid.add(int(row_id), line, *numbers, said, self.faults)

    def read_adjustments(self):
        self.adjusted = Table("adjustments.ndjson", ("its transfers",))
        for line, (row_id, _, _, _, bank, currency, amount, state, _) in self.reader.rows("adjustments.ndjson"):
            numbers = self.currencies.number(currency), self.banks.number(bank)
            said = (int(amount) if state == b"approved" else 0,)
            self.adjusted.add(int(row_id), line, *numbers, said, self.faults)
        self.booked = Table("differences.ndjson", ())
        for line, (row_id, bank, currency, _, _) in self.reader.rows("differences.ndjson"):
            numbers = self.currencies.number(currency), self.banks.number(bank)
            self.booked.add(int(row_id), line, *numbers, (), self.faults)

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
            b"adjustment": self.add_to_adjustment, b"difference": lambda *_: None,
        }
        for line, (row_id, debit, credit, amount, reason, cause, cause_id, posted_at) in self.reader.rows(name):
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
            of_cause = currency[d] if table is self.archives else table.currency[index]
            if not currency[d] == currency[c] == of_cause:
                found = [self.currencies.text(each) for each in (currency[d], currency[c], of_cause)]
                faults.add(at(name, line, row_id), "currencies of its accounts and cause", "one", found)
            for side in (d, c):
                if kinds[side] == BANK and table not in (self.settlements, self.archives) and (
                    self.accounts.bank[side] != table.bank[index]
                ):
                    banks = (table.bank[index], self.accounts.bank[side])
                    faults.add(at(name, line, row_id), "bank", *map(self.banks.text, banks))
            if table is self.archives:
                self.check_time(at(name, line, row_id), posted_at, index)
                self.add_to_archive(index, amount, reason, d, c)
            else:
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

    def add_to_archive(self, index, amount, reason, debit, credit):
        for side, sign in ((debit, 1), (credit, -1)):
            if self.kinds[side] == BANK:
                sums = self.archived[(index, self.accounts.bank[side], self.accounts.currency[side])]
                sums[2] += amount if side == debit and reason == b"credit" else 0
                sums[3] += sign * amount

    def check_archived(self):
        wrong = set()
        for (index, bank, currency), (amount, rest, brought, left) in self.archived.items():
            row_id = self.archives.ids[index]
            place = at(self.archives.name, self.archives.lines[index], row_id)
            where = f"bank {self.banks.text(bank)}, in {self.currencies.text(currency)}"
            checks = (f"its transfers from {where}", amount, brought), (f"what is left of it at {where}", rest, left)
            for what, said, found in checks:
                if said != found:
                    wrong.add(row_id)
                    self.faults.add(place, what, said, found)
        return wrong

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
            for side, told, found in sides:
                if told != found:
                    wrong.add(account)
                    what = f"{side} of the {KINDS[kind]} account, by its transfers and here"
                    faults.add(at(name, line, account), what, found, told)
            over = credits - debits if KINDS[kind] in DEBIT_KINDS else debits - credits
            if kind != BANK and over > 0:
                faults.add(at(name, line, account), f"the {KINDS[kind]} account is below zero", "0 or more", -over)
            currency = self.currencies.text(self.accounts.currency[index])
            sums[currency][0] += debits
            sums[currency][1] += credits
            total = self.kind_totals[(currency, kind)]
            for at_, more in enumerate((1, debits, credits)):
                total[at_] += more
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
        """The transfers that explain what does not add up: between two wrong accounts, of a wrong cause."""
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


def check_companions(reader, companions):
    """Chain and number of lines; what they say is not added up. They may be withheld."""
    absent = {name for name in companions if not os.path.exists(os.path.join(reader.folder, name))}
    for name in set(companions) - absent:
        for _ in reader.rows(name):
            pass
    return absent


def money(kobo):
    return f"{'-' if kobo < 0 else ''}{abs(kobo) // 100:,}.{abs(kobo) % 100:02d}"


def public_key(text):
    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError("must be 64 hexadecimal digits")
    return bytes.fromhex(text)


def main():
    parser = argparse.ArgumentParser(description="Verifies a proof export of Manilla.")
    parser.add_argument("folder")
    parser.add_argument("--public-key", type=public_key, metavar="HEX", help="the key you trust")
    given, faults = parser.parse_args(), Faults()
    try:
        files, companions, told, key, signed, signature = read_manifest(given.folder)
        format_, exported_at, product, mode = told
        print(f"{given.folder}: {product}, {mode}, exported at {exported_at}")
        verdict = check_signature(key, signed, signature, given.public_key, faults)
        reader = Reader(given.folder, {**files, **companions}, FORMATS[format_], faults)
        books = Books(reader, faults)
        books.read()
        absent = check_companions(reader, companions)
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
        for name, each in companions.items():
            how = "is not here, and was not verified" if name in absent else f"has {each['lines']:,} lines"
            erased = f", {reader.erased[name]:,} of them erased" if reader.erased[name] else ""
            print(f"  beside them, {name} {how}{erased}")
    if faults.count > FAULTS_SHOWN:
        print(f"… and {faults.count - FAULTS_SHOWN} faults more.")
    print(f"{faults.count} faults." if faults.count else "Verified: everything adds up.")
    return 1 if faults.count else 0


if __name__ == "__main__":
    sys.exit(main())
