"""Which of several equally large partitions comes first in the runtime's order.

The runtime sorts the partitions with std::sort, the largest first (GraphPartitionHelper, tflite/delegates/utils.cc,
v2.2.0), and the wheels carry libc++'s, which leaves equal elements in order below 24 only. This follows its quicksort
(__introsort, libcxx/include/__algorithm/sort.h, LLVM 16 and later) as far as the first element needs it. Measured on
2.1.2 to 2.3.0, with an operator that kills the process in one of the equal partitions.
"""

from __future__ import annotations

from collections.abc import Sequence

IN_ORDER = 24
"""Below this many elements the sort is an insertion sort."""
NINTHER = 128
"""Above this many, the pivot is a median of medians."""
MOVES = 8
"""Elements that the attempt to finish an almost sorted part by insertion moves at most."""


def first_of_the_largest(sizes: Sequence[int]) -> int:
    """The index of the element of `sizes` that stands first when they are sorted."""
    order = list(range(len(sizes)))
    end = len(order)
    while end >= IN_ORDER:
        half = end // 2
        if end > NINTHER:
            _sort3(sizes, order, 0, half, end - 1)
            _sort3(sizes, order, 1, half - 1, end - 2)
            _sort3(sizes, order, 2, half + 1, end - 3)
            _sort3(sizes, order, half - 1, half, half + 1)
            order[0], order[half] = order[half], order[0]
        else:
            _sort3(sizes, order, half, 0, end - 1)
        end, was_partitioned = _partition(sizes, order, end)
        if not end:
            return order[0]
        if was_partitioned and _insert(sizes, order, end):
            break
    return max(order[:end], key=sizes.__getitem__)


def _sort3(sizes: Sequence[int], order: list[int], *places: int) -> None:
    """Sorts three places. No element passes an equal one except in one exchange of the outer two, as in __sort3."""
    first, second, third = places
    one, two, three = (sizes[order[place]] for place in places)
    if two > one and three > two:
        order[first], order[third] = order[third], order[first]
    elif two > one:
        order[first], order[second] = order[second], order[first]
        if three > one:
            order[second], order[third] = order[third], order[second]
    elif three > two:
        order[second], order[third] = order[third], order[second]
        if three > one:
            order[first], order[second] = order[second], order[first]


def _partition(sizes: Sequence[int], order: list[int], end: int) -> tuple[int, bool]:
    """Moves what is larger than the first element before it: its new place, and whether all was in place already
    (__partition_with_equals_on_right)."""
    pivot = order[0]
    size = sizes[pivot]
    left = 1
    while left < end and sizes[order[left]] > size:
        left += 1
    right = end - 1
    while left < right and sizes[order[right]] <= size:
        right -= 1
    was_partitioned = left >= right
    while left < right:
        order[left], order[right] = order[right], order[left]
        left += 1
        while sizes[order[left]] > size:
            left += 1
        right -= 1
        while sizes[order[right]] <= size:
            right -= 1
    order[0], order[left - 1] = order[left - 1], pivot
    return left - 1, was_partitioned


def _insert(sizes: Sequence[int], order: list[int], end: int) -> bool:
    """Sorts by insertion unless that takes too many moves; whether it is sorted (__insertion_sort_incomplete)."""
    if end <= 5:
        order[:end] = sorted(order[:end], key=lambda index: -sizes[index])
        return True
    _sort3(sizes, order, 0, 1, 2)
    moves = 0
    for place in range(3, end):
        moved = order[place]
        to = place
        while to and sizes[moved] > sizes[order[to - 1]]:
            order[to] = order[to - 1]
            to -= 1
        order[to] = moved
        if to < place:
            moves += 1
            if moves == MOVES:
                return place + 1 == end
    return True
