"""One epoch of gradient descent and the norms of all examples' gradients, in
dpsens (bench/training.c) and in PyTorch, on the same network, examples and
processor, one thread each.

usage: training.py build/bench/training result.json

Both begin with the same parameters; what they end with, and the norms, must
agree to 1e-9, or the program fails.
"""
import array
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
try:
    import torch
    from functorch import grad, make_functional, vmap
except ImportError as error:
    print("bench-training: skipped, there is no PyTorch with functorch (%s); Debian has it as python3-torch" % error)
    sys.exit(0)

torch.set_num_threads(1)
TURNS = 15
RATE = 0.1


def dense_network(hidden):
    layers, inputs = [], 25
    for units in hidden:
        layers += [torch.nn.Linear(inputs, units), torch.nn.Sigmoid()]
        inputs = units
    return torch.nn.Sequential(*layers, torch.nn.Linear(inputs, 1))


def convolutional_network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 16, 8, stride=2, padding=3), torch.nn.Tanh(), torch.nn.MaxPool2d(2, 1),
        torch.nn.Conv2d(16, 32, 4, stride=2), torch.nn.Tanh(), torch.nn.MaxPool2d(2, 1),
        torch.nn.Flatten(), torch.nn.Linear(512, 32), torch.nn.Tanh(), torch.nn.Linear(32, 10))


BINARY = torch.nn.functional.binary_cross_entropy_with_logits
CATEGORICAL = torch.nn.functional.cross_entropy

# name, network, loss, shape of an example, outputs, examples, sizes of a batch
CASES = [
    ("25-8-1", lambda: dense_network([8]), BINARY, (25,), 1, 2000, (2000, 64)),
    ("25-8-8-1", lambda: dense_network([8, 8]), BINARY, (25,), 1, 2000, (2000, 64)),
    ("cnn", convolutional_network, CATEGORICAL, (1, 28, 28), 10, 512, (512, 64)),
]


def flat(parameters):
    """In the order of dpsens: weights of a dense layer are (inputs, units)."""
    return torch.cat([(p.T if p.dim() == 2 else p).reshape(-1) for p in parameters])


def milliseconds(work, turns):
    work()
    times = []
    for _ in range(turns):
        begin = time.process_time()
        work()
        times.append((time.process_time() - begin) * 1e3)
    return statistics.median(times)


class Side:
    """PyTorch's side of a case, in one precision."""

    def __init__(self, case, features, targets, parameters, dtype):
        _, network, self.loss, shape, outputs, self.n, _ = case
        self.x = features.to(dtype)
        self.y = targets.to(dtype)
        # what cross_entropy is quickest with
        self.labels = self.y.argmax(1) if outputs > 1 else self.y
        self.network = network().to(dtype)
        self.initial = [p.to(dtype) for p in parameters]
        self.restore()
        function, _ = make_functional(self.network)

        def one(p, x, y):
            # an image is a batch of one, a vector need not be
            if outputs == 1:
                return self.loss(function(p, x), y)
            return self.loss(function(p, x.unsqueeze(0)), y.unsqueeze(0))

        self.per_example = vmap(grad(one), (None, 0, 0))

    def restore(self):
        with torch.no_grad():
            for p, value in zip(self.network.parameters(), self.initial):
                p.copy_(value)

    def epoch(self, size):
        optimizer = torch.optim.SGD(self.network.parameters(), lr=RATE)
        for i in range(0, self.n, size):
            optimizer.zero_grad(set_to_none=True)
            self.loss(self.network(self.x[i:i + size]), self.labels[i:i + size]).backward()
            optimizer.step()

    def norms(self):
        """By vmap: every example's gradient is made."""
        with torch.no_grad():
            parameters = tuple(self.initial)
            pieces = []
            # all at once is quickest while they are small
            size = self.n if sum(p.numel() for p in parameters) < 1000 else 64
            for i in range(0, self.n, size):
                gradients = self.per_example(parameters, self.x[i:i + size], self.labels[i:i + size])
                pieces.append(torch.sqrt(sum(g.reshape(g.shape[0], -1).pow(2).sum(1) for g in gradients)))
            return torch.cat(pieces)

    def dense_norms(self):
        """By hand, of dense layers: the gradient of one example by the weights is an
        outer product, whose norm is the product of two norms."""
        with torch.no_grad():
            layers = [(w, b) for w, b in zip(self.initial[::2], self.initial[1::2])]
            inputs = [self.x]
            for w, b in layers[:-1]:
                inputs.append(torch.sigmoid(torch.addmm(b, inputs[-1], w.T)))
            error = torch.sigmoid(torch.addmm(layers[-1][1], inputs[-1], layers[-1][0].T)) - self.y
            square = 0
            for k in range(len(layers) - 1, -1, -1):
                square = square + error.pow(2).sum(1) * (1 + inputs[k].pow(2).sum(1))
                if k > 0:
                    error = (error @ layers[k][0]) * inputs[k] * (1 - inputs[k])
            return torch.sqrt(square)


def run_dpsens(program, case, size, features, targets, parameters):
    name, _, _, _, _, n, _ = case
    with tempfile.TemporaryDirectory() as folder:
        given, made = os.path.join(folder, "in"), os.path.join(folder, "out")
        with open(given, "wb") as file:
            for numbers in (features.reshape(-1), targets.reshape(-1), flat(parameters)):
                array.array("d", numbers.tolist()).tofile(file)
        output = subprocess.run([program, name, str(n), str(size), str(TURNS), given, made],
                                check=True, stdout=subprocess.PIPE, text=True).stdout
        results = array.array("d")
        with open(made, "rb") as file:
            results.frombytes(file.read())
    results = torch.tensor(results, dtype=torch.float64)
    epoch, norms = map(float, output.split())
    return epoch, norms, results[:-n], results[-n:]


def check(what, ours, theirs):
    error = ((ours - theirs).abs().max() / theirs.abs().max()).item()
    if not error <= 1e-9:
        sys.exit("%s differ by %g" % (what, error))


def run_case(program, case, size):
    name, network, _, shape, outputs, n, _ = case
    torch.manual_seed(1)
    features = torch.rand((n,) + shape, dtype=torch.float64)
    targets = (torch.arange(n) % 2).double().reshape(n, 1) if outputs == 1 else \
        torch.eye(outputs, dtype=torch.float64)[torch.arange(n) % outputs]
    parameters = [p.detach().double() for p in network().parameters()]
    epoch, norms, ends, found = run_dpsens(program, case, size, features, targets, parameters)
    row = {"network": name, "examples": n, "batch": size, "dpsens_epoch_ms": epoch, "dpsens_norms_ms": norms}
    for precision, dtype in (("double", torch.float64), ("single", torch.float32)):
        side = Side(case, features, targets, parameters, dtype)
        if dtype == torch.float64:
            side.epoch(size)
            check("parameters of " + name, ends, flat([p.detach() for p in side.network.parameters()]))
            side.restore()
            check("norms of " + name, found, side.norms())
            if outputs == 1:
                check("norms of " + name, found, side.dense_norms())
        turns = TURNS if outputs == 1 else 3
        row["torch_epoch_%s_ms" % precision] = milliseconds(lambda: side.epoch(size), turns)
        row["torch_vmap_%s_ms" % precision] = milliseconds(side.norms, turns)
        if outputs == 1:
            row["torch_by_hand_%s_ms" % precision] = milliseconds(side.dense_norms, turns)
    return row


def ratios(row, what, ours):
    cells = []
    for precision in ("double", "single"):
        theirs = row.get("torch_%s_%s_ms" % (what, precision))
        cells.append("%9.3f %6.2f" % (theirs, row[ours] / theirs) if theirs else "%9s %6s" % ("", ""))
    return "  ".join(cells)


def main():
    program, result = sys.argv[1:]
    rows = [run_case(program, case, size) for case in CASES for size in case[-1]]
    print("PyTorch %s, one thread; milliseconds of an epoch, and dpsens over PyTorch" % torch.__version__)
    print("%-9s %-26s %6s %9s  %16s  %16s" % ("network", "", "batch", "dpsens", "double   ratio", "single   ratio"))
    for row in rows:
        for label, what, ours in (("epoch", "epoch", "dpsens_epoch_ms"), ("norms, vmap", "vmap", "dpsens_norms_ms"),
                                  ("norms, by hand", "by_hand", "dpsens_norms_ms")):
            if "torch_%s_double_ms" % what in row:
                print("%-9s %-26s %6s %9.3f  %s" % (row["network"], label, row["batch"] if what == "epoch" else "",
                                                    row[ours], ratios(row, what, ours)))
    with open(result, "w") as file:
        json.dump(rows, file, indent=1)
    slow = [row for row in rows if row["network"] == "25-8-1" and
            (row["dpsens_epoch_ms"] > row["torch_epoch_double_ms"] or
             row["dpsens_norms_ms"] > row["torch_by_hand_double_ms"])]
    if slow:
        sys.exit("the 25-8-1 network takes longer than in PyTorch")


main()
