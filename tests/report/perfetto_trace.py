"""Reads a Perfetto trace, as trace_packet.proto and track_event.proto define it, as far as our reports use it."""
import zlib

BEGIN, END, INSTANT = 1, 2, 3


def fields(data):
    """(number, value) of each field of a protobuf message; bytes where it has a length."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 1:
            yield key >> 3, int.from_bytes(data[at:at + 8], "little")
            at += 8
        elif key & 7 == 2:
            length = varint()
            assert at + length <= len(data), "a field is longer than its message"
            yield key >> 3, data[at:at + length]
            at += length
        else:
            raise ValueError(f"wire type {key & 7}")


def message(data):
    """{number: [values]}"""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def packets(data):
    for number, value in fields(data):
        assert number == 1, "a trace consists of packets"
        packet = message(value)
        if 50 in packet:  # compressed_packets
            yield from packets(zlib.decompress(packet[50][0]))
        else:
            yield packet


class Sequence:
    def __init__(self):
        self.strings, self.now, self.clock = {}, 0, None


class Trace:
    """processes: {pid: name}; threads: {track: (pid, name)}; events: dicts, as slices with a duration and instants."""

    def __init__(self, data):
        self.processes, self.threads, self.events = {}, {}, []
        sequences, raw = {}, []
        for packet in packets(data):
            sequence = sequences.setdefault(packet[10][0], Sequence())
            if packet.get(13, [0])[0] & 1:  # SEQ_INCREMENTAL_STATE_CLEARED
                sequence.strings, sequence.now = {}, 0
            if 59 in packet:  # trace_packet_defaults
                sequence.clock = message(packet[59][0])[58][0]
            if 6 in packet:  # clock_snapshot
                clocks = [message(clock) for clock in message(packet[6][0])[1]]
                assert {clock[1][0]: clock.get(3, [0])[0] for clock in clocks} == {6: 0, 64: 1}, clocks
                assert all(clock[2][0] == 0 for clock in clocks)
            for table, entries in message(packet.get(12, [b""])[0]).items():  # interned_data
                for entry in map(message, entries):
                    assert (table, entry[1][0]) not in sequence.strings, "interned twice"
                    sequence.strings[table, entry[1][0]] = entry[2][0].decode()
            if 60 in packet:  # track_descriptor
                self.describe(message(packet[60][0]))
            if 11 in packet:  # track_event
                assert packet[13][0] & 2, "SEQ_NEEDS_INCREMENTAL_STATE"
                if packet.get(58, [sequence.clock])[0] == 64:
                    sequence.now += packet[8][0]
                    time = sequence.now
                else:
                    time = packet[8][0]
                raw.append((time, len(raw), sequence, message(packet[11][0])))
        open_slices = {}
        for time, _, sequence, event in sorted(raw, key=lambda one: one[:2]):
            track, kind = event[11][0], event[9][0]
            if kind == END:
                begun = open_slices[track].pop()
                begun["dur"] = time - begun["ts"]
                continue
            told = {"kind": kind, "ts": time, "track": track, "name": sequence.strings[2, event[10][0]], "category": sequence.strings[1, event[3][0]],
                    "flows": event.get(47, []), "last_flows": event.get(48, []), "args": {}, "depth": len(open_slices.get(track, []))}
            told["rank"] = int(self.processes[self.threads[track][0]].split()[1])
            for argument in map(message, event.get(4, [])):
                value = sequence.strings[29, argument[17][0]] if 17 in argument else argument[6][0].decode()
                told["args"][sequence.strings[3, argument[1][0]]] = value
            if kind == BEGIN:
                open_slices.setdefault(track, []).append(told)
            self.events.append(told)
        assert not any(open_slices.values()), "a slice has no end"

    def describe(self, track):
        if 3 in track:
            process = message(track[3][0])
            assert process[1][0] not in self.processes, "a process id twice"
            self.processes[process[1][0]] = process[6][0].decode()
        if 4 in track:
            thread = message(track[4][0])
            assert track[1][0] not in self.threads, "a track twice"
            self.threads[track[1][0]] = (thread[1][0], thread[5][0].decode())

    def slices(self):
        return [event for event in self.events if event["kind"] == BEGIN]

    def instants(self):
        return [event for event in self.events if event["kind"] == INSTANT]
