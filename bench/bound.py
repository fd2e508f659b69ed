#!/usr/bin/env python3
"""
bound.py
    Compares the certified search with SciPy's shgo on the same functions.

    bound.py PROGRAM RESULT

PROGRAM is bench/bound.c compiled: it times dpsens and prints each function as
Python.  Prints one table and a summary; RESULT receives the same as JSON.
"""
import json
import math
import os
import signal
import subprocess
import sys
import time
import warnings

# One thread, as dpsens has, and processor time for both: idle threads would count.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

try:
    import scipy
    from scipy.optimize import shgo
except ImportError:
    print("bench-bound: skipped, SciPy is missing (Debian: python3-scipy, or build-aux/setup bench)")
    sys.exit(0)

# An answer is missed if it is that much short of the certified lower end.
MISS = 1e-6
# One optimisation may take that long.
LIMIT_SECONDS = 60
VARIANTS = {
    "shgo": {},
    "sobol": {"sampling_method": "sobol"},
}


class TookTooLong(Exception):
    pass


def raise_too_long(signum, frame):
    raise TookTooLong


def make_function(case):
    """The objective to minimise; where it is undefined nothing is to be found."""
    body = case["python"].replace("\n", "\n        ")
    source = ("def f(x):\n    try:\n        " + body.replace("return ", "return sign * ") +
              "\n    except (ValueError, ZeroDivisionError, OverflowError):\n        return math.inf\n")
    names = {"math": math, "sign": 1 if case["quantity"] == "infimum" else -1}
    exec(source, names)
    return names["f"]


def optimise(case, options):
    """Median milliseconds and the extremum found, None if there is none."""
    f = make_function(case)
    times = []
    answer = None
    while not times or (len(times) < 5 and sum(times) < 1):
        signal.alarm(LIMIT_SECONDS)
        start = time.process_time()
        try:
            result = shgo(f, case["box"], **options)
            answer = result.fun
        except TookTooLong:
            answer = None
        except Exception as error:  # whatever shgo stumbles over is its answer
            answer = None
            case.setdefault("errors", []).append(repr(error)[:120])
        finally:
            signal.alarm(0)
        times.append(time.process_time() - start)
    if answer is not None:
        answer = float(answer) if case["quantity"] == "infimum" else -float(answer)
    if answer is not None and not math.isfinite(answer):
        answer = None
    times.sort()
    return 1e3 * times[len(times) // 2], answer


def size_of(case):
    """What widths and misses are relative to: the bracket, or the function's spread if the extremum may be 0."""
    if case["lower"] <= 0 <= case["upper"]:
        return case["spread"]
    return max(abs(case["lower"]), abs(case["upper"]))


def judge(case, answer):
    if case["status"] != "ok":
        return "refuse" if answer is None else "finite"
    if answer is None:
        return "none"
    short = answer - case["upper"] if case["quantity"] == "infimum" else case["lower"] - answer
    beyond = case["lower"] - answer if case["quantity"] == "infimum" else answer - case["upper"]
    if short > MISS * size_of(case):
        return "missed"
    return "beyond" if beyond > 1e-9 * size_of(case) else "found"


def add_spreads(cases):
    """sup - inf of the function, beside each of its rows; 0 where there is none."""
    for function in {case["function"] for case in cases}:
        rows = {case["quantity"]: case for case in cases if case["function"] == function}
        bounded = rows["infimum"]["status"] == rows["supremum"]["status"] == "ok"
        for case in rows.values():
            case["spread"] = rows["supremum"]["upper"] - rows["infimum"]["lower"] if bounded else 0


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def show(value, width=14):
    return ("%.8g" % value if value is not None else "-").rjust(width)


def print_table(cases):
    print("Milliseconds of processor time, medians.  dpsens: from SQL text to a proved bracket; shgo: the optimiser alone, on the same")
    print("straight-line code.  width: (upper - lower) relative to the value, or to sup - inf if that may be 0;")
    print("missed: short of the bracket by more than %g of that; finite: an answer where there is none." % MISS)
    print()
    print("%-22s %-8s %2s %9s %14s %14s %8s %6s | %9s %14s %-6s | %9s %14s %-6s" % (
        "fn", "quantity", "d", "dpsens", "lower", "upper", "width", "boxes",
        "shgo", "answer", "", "sobol", "answer", ""))
    for case in cases:
        bounded = case["status"] == "ok"
        size = size_of(case) if bounded else 0
        width = "%8.1e" % ((case["upper"] - case["lower"]) / size if size else 0) if bounded else case["status"].rjust(8)
        line = "%-22s %-8s %2d %9.4f %s %s %s %6d" % (
            case["function"], case["quantity"], len(case["box"]), case["dpsens_ms"],
            show(case["lower"] if bounded else None), show(case["upper"] if bounded else None), width, case["boxes"])
        for name in VARIANTS:
            line += " | %9.2f %s %-6s" % (case[name]["ms"], show(case[name]["answer"]), case[name]["verdict"])
        print(line)


def summarise(cases):
    bounded = [c for c in cases if c["status"] == "ok"]
    refused = [c for c in cases if c["status"] != "ok"]
    small = [c for c in cases if len(c["box"]) <= 3]
    summary = {
        "scipy": scipy.__version__,
        "rows": len(cases),
        "dpsens_geometric_mean_ms": geometric_mean([c["dpsens_ms"] for c in cases]),
        "dpsens_max_ms": max(c["dpsens_ms"] for c in cases),
        "dpsens_geometric_mean_ms_up_to_3_columns": geometric_mean([c["dpsens_ms"] for c in small]),
        "dpsens_max_ms_up_to_3_columns": max(c["dpsens_ms"] for c in small),
        "dpsens_above_1_s_up_to_3_columns": sum(c["dpsens_ms"] > 1000 for c in small),
        "dpsens_median_boxes": sorted(c["boxes"] for c in cases)[len(cases) // 2],
        "dpsens_widest": max((c["upper"] - c["lower"]) / size_of(c) if size_of(c) else 0 for c in bounded),
        "refused": len(refused),
    }
    for name in VARIANTS:
        of = [c[name]["verdict"] for c in bounded]
        summary[name] = {
            "geometric_mean_ms": geometric_mean([c[name]["ms"] for c in cases]),
            "max_ms": max(c[name]["ms"] for c in cases),
            "ratio_geometric_mean": geometric_mean([c[name]["ms"] / c["dpsens_ms"] for c in cases]),
            "ratio_geometric_mean_reference": geometric_mean([c[name]["ms"] / c["dpsens_ms"] for c in cases if c["reference"]]),
            "missed_reference": sum(c["reference"] and c[name]["verdict"] == "missed" for c in bounded),
            "ratio_smallest": min(c[name]["ms"] / c["dpsens_ms"] for c in cases),
            "faster_than_dpsens": [c["function"] + " " + c["quantity"] for c in cases if c[name]["ms"] < c["dpsens_ms"]],
            "missed": [c["function"] + " " + c["quantity"] for c in bounded if c[name]["verdict"] == "missed"],
            "no_answer": [c["function"] + " " + c["quantity"] for c in bounded if c[name]["verdict"] == "none"],
            "beyond_the_bracket": [c["function"] + " " + c["quantity"] for c in bounded if c[name]["verdict"] == "beyond"],
            "found": of.count("found"),
            "finite_answers_where_refused": sum(c[name]["verdict"] == "finite" for c in refused),
        }
    return summary


def print_summary(s):
    print()
    print("dpsens: geometric mean %.4g ms, longest %.4g ms; up to 3 columns: geometric mean %.4g ms, longest %.4g ms, %d above 1 s" % (
        s["dpsens_geometric_mean_ms"], s["dpsens_max_ms"], s["dpsens_geometric_mean_ms_up_to_3_columns"],
        s["dpsens_max_ms_up_to_3_columns"], s["dpsens_above_1_s_up_to_3_columns"]))
    print("    median %d boxes; widest %.2g; %d of %d refused as unbounded or jumping" % (
        s["dpsens_median_boxes"], s["dpsens_widest"], s["refused"], s["rows"]))
    for name in VARIANTS:
        v = s[name]
        print("%s (SciPy %s): geometric mean %.4g ms, longest %.4g ms; %.4g times dpsens (geometric mean; least %.3g)" % (
            name, s["scipy"], v["geometric_mean_ms"], v["max_ms"], v["ratio_geometric_mean"], v["ratio_smallest"]))
        print("    reference functions alone: %.4g times dpsens, missed %d" % (
            v["ratio_geometric_mean_reference"], v["missed_reference"]))
        print("    found %d, missed %d: %s" % (v["found"], len(v["missed"]), ", ".join(v["missed"]) or "none"))
        print("    no answer: %s" % (", ".join(v["no_answer"]) or "none"))
        print("    faster than dpsens: %s" % (", ".join(v["faster_than_dpsens"]) or "none"))
        print("    a finite answer for %d of %d that dpsens refuses; %d beyond the proved bracket%s" % (
            v["finite_answers_where_refused"], s["refused"], len(v["beyond_the_bracket"]),
            ": " + ", ".join(v["beyond_the_bracket"]) if v["beyond_the_bracket"] else ""))


def main():
    program, result = sys.argv[1:3]
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, raise_too_long)
    lines = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    cases = [json.loads(line) for line in lines]
    add_spreads(cases)
    for case in cases:
        for name, options in VARIANTS.items():
            ms, answer = optimise(case, options)
            case[name] = {"ms": ms, "answer": answer, "verdict": judge(case, answer)}
    summary = summarise(cases)
    print_table(cases)
    print_summary(summary)
    with open(result, "w") as file:
        json.dump({"summary": summary, "rows": cases}, file, indent=1)


main()
