/** Text that is laid out in one line if it fits, otherwise in several. Lines of one side only have a sign. */
export type Text = string | Wrapped | Listed

/** A text with a prefix and a suffix in the same line. */
export interface Wrapped {
  /** Text before the inner text, such as `&` or `core.Pod{`. It does not break. */
  readonly before: string
  readonly text: Text
  /** Text after the inner text. */
  readonly after: string
}

/** Items or members, each in a line of its own unless all fit into one. */
export interface Listed {
  /** One for each item or member. */
  readonly lines: readonly DiffLine[]
}

/** Side that a line belongs to. Empty for both. */
export type Sign = '' | '-' | '+'

/** A line of a list. `comment` follows it after `//`. */
export interface DiffLine {
  readonly sign: Sign
  /** Name of a member. Empty for an item of a list. */
  readonly name: string
  readonly text: Text
  readonly comment?: string
}

/** Stands for omitted items. */
export const ELLIPSIS = '...'
/** Length at which go-cmp breaks a line of items, in bytes. */
const MOST_COLUMNS = 80

/** Reports whether a text may need several lines. */
export const isListed = (text: Text): text is Listed => typeof text === 'object' && 'lines' in text

/** Joins lists into one line if they fit. */
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

/** Formats all lines, each after its sign. */
export const layOut = (text: Text): string => `${indent('', 0)}${expand(compact(text, ''), '', 0)}\n`

/** The sign is in the first column at any depth. */
const indent = (sign: Sign, depth: number): string => `${sign === '' ? ' ' : sign} ${'\t'.repeat(depth)}`

/** Formats lists that were not joined, line by line. */
function expand(text: Text, sign: Sign, depth: number): string {
  if (typeof text === 'string') return text
  if (!isListed(text)) return text.before + expand(text.text, sign, depth) + text.after
  const end = `\n${indent(sign, depth)}`
  const { lines } = text
  const plain = lines.flatMap(line =>
    line.sign === '' && line.name === '' && line.comment === undefined && typeof line.text === 'string' ? [line.text] : [],
  )
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

/** Distributes the items of a long list over lines, as many as fit in each. */
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

/** Widths of the names. Values of adjacent one-line items are aligned. */
function nameWidths(lines: readonly DiffLine[]): number[] {
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
