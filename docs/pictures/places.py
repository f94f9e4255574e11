"""The first picture of README: one array, and the three places that it is moved to.

usage: docs/pictures/places.py > docs/pictures/places.svg; docs/pictures/make.sh calls it
"""
colours = ["#3b6fb6", "#e08a2e", "#4f9d4f", "#a83a3a"]  # a row of the array each


def cells(x, y, rows, columns, row_at):
    """A box of cells whose colours say in which row of the array they stood."""
    for r in range(rows):
        for c in range(columns):
            print(f'<rect x="{x + 15 * c}" y="{y + 15 * r}" width="13" height="13" fill="{colours[row_at(r, c)]}"/>')


def arrow(y, tip_x, tip_y, turned):
    print(f'<path d="M120 {y} L{tip_x} {tip_y}" stroke="#555" stroke-width="2"/>')
    print(f'<path d="M6 0 L-6 -5 L-6 5 Z" fill="#555" transform="translate({tip_x} {tip_y}) rotate({turned})"/>')


def words(y, what, figure):
    print(f'<text x="435" y="{y}" font-weight="bold">{what}</text>')
    print(f'<text x="435" y="{y + 18}" font-size="12" fill="#444">{figure}</text>')


print('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 220" width="800" height="220" '
      'font-family="DejaVu Sans,Helvetica,Arial,sans-serif" font-size="13">')
print("<title>One array, moved in memory, into a store on a disk, and between ranks</title>")
print('<rect width="800" height="220" fill="#fff"/>')
cells(40, 80, 4, 4, lambda r, c: r)
print('<text x="69" y="162" text-anchor="middle">an array</text>')
arrow(98, 232, 45, -25)
arrow(110, 232, 110, 0)
arrow(122, 232, 175, 25)
cells(260, 16, 4, 4, lambda r, c: c)
for chunk in range(4):
    cells(260 + 38 * chunk, 96, 2, 2, lambda r, c: 2 * (chunk // 2) + r)
for rank in range(4):
    cells(260 + 38 * rank, 146, 4, 1, lambda r, c: r)
words(42, "in memory: another order, here transposed", "1.26 times the time of memcpy; the best peer 3.17")
words(106, "on a disk: other chunks, larger than memory", "one pass, within the memory that you give")
words(170, "between ranks: another layout, one exchange", "0.875 of the data on 8 ranks: the least that can be")
print("</svg>")
