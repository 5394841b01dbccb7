/** Lines of context around a change. */
const CONTEXT = 3
/** Limit on the product of the numbers of differing lines. Above it, they are shown as replaced as a whole. */
const MOST_CELLS = 4_000_000

interface Line {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
  /** Numbers of the lines before it in the old and in the new text. */
  readonly old: number
  readonly now: number
}

/** Returns a unified diff without file headers, or an empty string if there are no differences. `firstLine` is the number of the first line, from 1. */
export function lineDiff(old: string, now: string, firstLine = 1): string {
  const lines = compare(linesOf(old), linesOf(now))
  const shown = lines.map((_, i) => lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(({ sign }) => sign !== ' '))
  const out: string[] = []
  for (let i = 0; i < lines.length; i++) {
    if (!shown[i]) continue
    let end = i
    while (end < lines.length && shown[end]) end++
    const hunk = lines.slice(i, end)
    const [first] = hunk
    const count = (sign: '-' | '+'): number => hunk.filter(line => line.sign === ' ' || line.sign === sign).length
    out.push(
      `@@ -${(first?.old ?? 0) + firstLine},${count('-')} +${(first?.now ?? 0) + firstLine},${count('+')} @@`,
      ...hunk.map(({ sign, text }) => sign + text),
    )
    i = end
  }
  return out.join('\n')
}

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n')

function compare(old: readonly string[], now: readonly string[]): Line[] {
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  const lines: Line[] = []
  let [o, n] = [0, 0]
  const push = (sign: Line['sign'], text: string): void => {
    lines.push({ sign, text, old: o, now: n })
    if (sign !== '+') o++
    if (sign !== '-') n++
  }
  for (const text of old.slice(0, head)) push(' ', text)
  for (const [sign, text] of middle(old.slice(head, old.length - tail), now.slice(head, now.length - tail))) push(sign, text)
  for (const text of old.slice(old.length - tail)) push(' ', text)
  return lines
}

/** Compares lines by their longest common subsequence. */
function middle(old: readonly string[], now: readonly string[]): [Line['sign'], string][] {
  if (old.length * now.length > MOST_CELLS)
    return [...old.map((text): [Line['sign'], string] => ['-', text]), ...now.map((text): [Line['sign'], string] => ['+', text])]
  const width = now.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  const at = (o: number, n: number): number => lengths[o * width + n] ?? 0
  for (let o = old.length - 1; o >= 0; o--)
    for (let n = now.length - 1; n >= 0; n--) lengths[o * width + n] = old[o] === now[n] ? at(o + 1, n + 1) + 1 : Math.max(at(o + 1, n), at(o, n + 1))
  const out: [Line['sign'], string][] = []
  let [o, n] = [0, 0]
  while (o < old.length || n < now.length) {
    if (o < old.length && n < now.length && old[o] === now[n]) {
      out.push([' ', old[o] ?? ''])
      o++
      n++
    } else if (n >= now.length || (o < old.length && at(o + 1, n) >= at(o, n + 1))) out.push(['-', old[o++] ?? ''])
    else out.push(['+', now[n++] ?? ''])
  }
  return out
}
