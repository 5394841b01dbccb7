/** Text that stands in one line where it fits, and else in lines of its own, with a sign before each that only one side has. */
export type Text = string | Wrapped | Listed

/** A text between two others that stay in its line. */
export interface Wrapped {
  readonly before: string
  readonly text: Text
  readonly after: string
}

/** Items or members, each in a line of its own unless all fit into one. */
export interface Listed {
  readonly lines: readonly Line[]
}

/** The side that a line belongs to; empty: both. */
export type Sign = '' | '-' | '+'

/** A line of a list. `comment`: stands behind it, after `//`. */
export interface Line {
  readonly sign: Sign
  readonly name: string
  readonly text: Text
  readonly comment?: string
}

/** Stands for what is left out. */
export const ELLIPSIS = '...'
/** Bytes of a line of items, as go-cmp breaks them. */
const MOST_COLUMNS = 80

export const isListed = (text: Text): text is Listed => typeof text === 'object' && 'lines' in text

/** The text with its lists in one line where they may be. */
function compact(text: Text, sign: Sign): Text {
  if (typeof text === 'string') return text
  if (!isListed(text)) {
    const inner = compact(text.text, sign)
    return typeof inner === 'string' ? text.before + inner + text.after : { ...text, text: inner }
  }
  const lines = text.lines.map(line => ({ ...line, text: compact(line.text, line.sign === '' ? sign : line.sign) }))
  const isOne = lines.every(line => line.sign === '' && line.comment === undefined && typeof line.text === 'string')
  const joined = lines.map(({ name, text: inner }) => (name === '' ? inner : `${name}: ${inner}`)).join(', ')
  return isOne && (sign === '' || Buffer.byteLength(joined) <= MOST_COLUMNS) ? joined : { lines }
}

/** All lines, each behind its sign. */
export const layOut = (text: Text): string => `${indent('', 0)}${expand(compact(text, ''), '', 0)}\n`

/** The sign stands in the first column, whatever the depth. */
const indent = (sign: Sign, depth: number): string => `${sign === '' ? ' ' : sign} ${'\t'.repeat(depth)}`

/** Lists that were not joined into one line, line by line. */
function expand(text: Text, sign: Sign, depth: number): string {
  if (typeof text === 'string') return text
  if (!isListed(text)) return text.before + expand(text.text, sign, depth) + text.after
  const end = `\n${indent(sign, depth)}`
  const { lines } = text
  const plain = lines.flatMap(line => (line.sign === '' && line.name === '' && line.comment === undefined && typeof line.text === 'string' ? [line.text] : []))
  if (lines.length > 0 && plain.length === lines.length) {
    return (
      batches(plain)
        .map(batch => `\n${indent(sign, depth + 1)}${batch}`)
        .join('') + end
    )
  }
  const widths = nameWidths(lines)
  const shown = lines.map((line, i) => {
    const own = line.sign === '' ? sign : line.sign
    const name = line.name === '' ? '' : `${line.name}: ${' '.repeat((widths[i] ?? 0) - [...line.name].length)}`
    const comma = line.text === ELLIPSIS ? '' : ','
    const comment = line.comment === undefined ? '' : ` // ${line.comment}`
    return `\n${indent(own, depth + 1)}${name}${expand(line.text, own, depth + 1)}${comma}${comment}`
  })
  return shown.join('') + end
}

/** Items of a list that is too long for one line, as many in a line as there is room for. */
function batches(items: readonly string[]): string[] {
  const out: string[] = []
  let batch = ''
  for (const item of items) {
    if (batch !== '' && batch.length + item.length + 2 > MOST_COLUMNS) {
      out.push(batch.trimEnd())
      batch = ''
    }
    batch += `${item}, `
  }
  return batch === '' ? out : [...out, batch.trimEnd()]
}

/** Values in one line that follow each other stand below each other. */
function nameWidths(lines: readonly Line[]): number[] {
  const widths = lines.map(({ name }) => [...name].length)
  for (let from = 0; from < lines.length; ) {
    let to = from
    while (to < lines.length && lines[to]?.name !== '' && typeof lines[to]?.text === 'string') to++
    const widest = Math.max(...widths.slice(from, to), 0)
    for (let i = from; i < to; i++) widths[i] = widest
    from = Math.max(to, from + 1)
  }
  return widths
}
