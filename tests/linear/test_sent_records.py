import pickle

import numpy as np

from bncc.linear import make_batch, plan_blocks, prepare_features
from bncc.linear.label_shares import share_out
from bncc.linear.sent_records import SentRecord, aligned


def shifted(array):
    """The same values at an address that is no multiple of their size, as frames of a network have it."""
    raw = np.zeros(array.nbytes + 1, np.uint8)
    raw[1:] = np.frombuffer(array.tobytes(), np.uint8)
    out = np.frombuffer(raw.data, array.dtype, array.size, offset=1).reshape(array.shape)
    assert not out.flags.aligned
    return out


def test_what_arrives_is_aligned():
    features = prepare_features(np.arange(6.0).reshape(2, 3))
    buffers = []
    sent = pickle.dumps(SentRecord(features), protocol=5, buffer_callback=buffers.append)
    frames = [shifted(np.frombuffer(buffer.raw(), np.uint8).view(np.float64)) for buffer in buffers]
    arrived = pickle.loads(sent, buffers=frames).record
    assert frames
    assert arrived.values.flags.aligned
    assert (arrived.values == features.values).all()
    assert (arrived.n_rows, arrived.indices) == (2, None)


def test_aligned_arrays_are_not_copied():
    batch = make_batch([[0.0], [1.0]], [0, 1])
    (share,) = share_out(batch, plan_blocks(batch), 1)
    same = aligned(share)
    assert same.problems is share.problems
    assert same.plan.problems is share.plan.problems
    assert [a is b for a, b in zip(same.tables, share.tables, strict=True)] == [True] * 7


def test_records_in_records_and_tuples():
    batch = make_batch([[0.0], [1.0]], [0, 1])
    (share,) = share_out(batch, plan_blocks(batch), 1)
    table = shifted(share.tables[3])
    copied = aligned((table, share, "text", None))
    assert copied[0].flags.aligned
    assert (copied[0] == table).all()
    assert copied[2:] == ("text", None)
