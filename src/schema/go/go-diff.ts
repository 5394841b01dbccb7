import type { Json } from '../../api/meta/object.ts'
import { quote } from '../../lib/go-quote.ts'
import type { Schema } from '../schema.ts'
import { type Comparison, compareGoValues, type Side } from './go-compare.ts'
import { type DiffLine, ELLIPSIS, layOut, type Sign, type Text } from './go-text.ts'
import { convertGoType, type GoType, goObjectType, goTypeName, isGoZero } from './go-type.ts'
import { type Options, valueText } from './go-value-text.ts'

/** Limit on the characters of a difference. A message explains an error and is not a copy of the object. */
const MOST_CHARACTERS = 65_536
/** Limit on the compared values, which takes some milliseconds. A pod with ten containers has some thousand. */
const MOST_VALUES = 20_000
/** Number of equal items that are shown around changed ones. */
const CONTEXT = 2
/** Minimum detail of a change in go-cmp. */
const CLEAR_CHANGE = 3
/** Detail of the equal items around a change. */
const CONTEXT_DETAIL = 1

/** Formats the difference between two values of the declared type like upstream's messages, in the form of go-cmp. */
export function goDifference(schema: Schema, old: Json, next: Json): string {
  const comparison = compareGoValues(comparedType(schema), old, next, MOST_VALUES)
  if (!comparison) return 'There is too much to compare to tell what differs.\n'
  if (comparison.different === 0) return ''
  const text = layOut(formatComparison(comparison, { side: 'both', types: 'all', detail: undefined }, undefined))
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}...\n` : text
}

/** Objects are compared through pointers. */
const comparedType = (schema: Schema): GoType =>
  schema.type === 'struct' && schema.typeMeta ? { kind: 'pointer', to: goObjectType(schema) } : convertGoType(schema)

/** Adds the name of the type before a value, if types are shown. */
const withType = (type: GoType, text: Text, { types, side }: Options): Text => {
  if (types === 'none') return text
  if (types === 'unclear' && (type.kind === 'scalar' || type.kind === 'pointer' || text === 'nil' || side === 'same')) return text
  return braced(type.kind === 'pointer' ? `(${goTypeName(type)})` : goTypeName(type), text)
}

/** Adds a prefix before a text. A text without an opening brace of its own is put in parentheses. */
const braced = (before: string, text: Text): Text =>
  typeof text === 'object' && 'before' in text && text.before.startsWith('{')
    ? { before, text, after: '' }
    : { before: `${before}(`, text, after: ')' }

/**
 * Formats a comparison. `parent`: kind of the enclosing type; some values are formatted differently within a pointer.
 */
function formatComparison(of: Comparison, given: Options, parent: GoType['kind'] | undefined): Text {
  const options: Options = { ...given, detail: given.side === 'same' ? CONTEXT_DETAIL : Math.max(given.detail ?? 0, CLEAR_CHANGE) }
  const [first] = of.inner
  if (!first) return printWhole(of, options, parent)
  if (of.type.kind === 'pointer') return { before: '&', text: formatComparison(first.of, options, 'pointer'), after: '' }
  return withType(of.type, printInside(of, options), options)
}

/** Formats a value compared as a whole: both sides if they differ. */
function printWhole({ type, old, next, different }: Comparison, options: Options, parent: GoType['kind'] | undefined): Text {
  const text = (side: Side, given: Options): Text | undefined => side && valueText(type, side.value, given, parent)
  switch (options.side) {
    case '-':
      return text(old, options) ?? ''
    case '+':
      return text(next, options) ?? ''
    default: {
      if (different === 0) return text(old, options) ?? ''
      const lines: DiffLine[] = []
      for (const [sign, side] of [
        ['-', old],
        ['+', next],
      ] as const) {
        const shown = text(side, { ...options, types: 'none' })
        if (shown !== undefined) lines.push({ sign, name: '', text: shown })
      }
      return withType(type, { before: '{', text: { lines }, after: '}' }, { ...options, types: 'all' })
    }
  }
}

/** Units in counts of omitted items, by kind of the enclosing type. */
const NOUNS = { struct: 'field', slice: 'element', map: 'entry', scalar: '', pointer: '' } as const

/**
 * Formats the parts of a value. The detail determines how many items precede an ellipsis: go-cmp doubles their number
 * with each level.
 */
function printInside(of: Comparison, given: Options): Text {
  const { kind } = of.type
  const options: Options = { ...given, types: kind === 'struct' ? 'unclear' : 'none' }
  const detail = given.detail ?? 0
  const most =
    given.detail === undefined ? Number.POSITIVE_INFINITY : given.side === 'same' ? ((1 << detail) >> 1) << 2 : (1 << detail) << 1
  const inner: Options = { ...options, detail: given.detail === undefined ? undefined : Math.max(detail - 1, 0) }
  const lines = given.side === 'both' ? printChanges(of, inner, most) : printOne(of, inner, most)
  return { before: '{', text: { lines }, after: '}' }
}

/** Formats the name of a part. Keys of map entries are quoted, with a mark if their type has a String method. */
const partName = ({ type }: Comparison, name: string): string => (type.kind === 'map' ? `${type.keysPrint ? 's' : ''}${quote(name)}` : name)

/** Formats the items of one side, without zero members. */
function printOne(of: Comparison, options: Options, most: number): DiffLine[] {
  const lines: DiffLine[] = []
  for (const { name, of: item } of of.inner) {
    if (lines.length === most) return [...lines, { sign: '', name: '', text: ELLIPSIS }]
    const side = options.side === '+' ? item.next : item.old
    if (!side && options.side !== 'same') continue
    if (of.type.kind === 'struct' && isGoZero(item.type, side?.value)) continue
    lines.push({ sign: '', name: partName(of, name), text: formatComparison(item, options, of.type.kind) })
  }
  return lines
}

/** Numbers of items that an ellipsis stands for. */
interface Counts {
  identical: number
  removed: number
  inserted: number
  modified: number
}

const none = (): Counts => ({ identical: 0, removed: 0, inserted: 0, modified: 0 })

/** `3 identical fields`, `1 removed and 2 modified entries` */
function countsText(counts: Counts, noun: string): string {
  const shown = Object.entries(counts).filter(([, count]) => count > 0)
  const sum = shown.reduce((total, [, count]) => total + count, 0)
  const parts = shown.map(([what, count]) => `${count} ${what}`)
  const plural = sum === 1 ? noun : `${noun}s`.replace(/ys$/, 'ies')
  const listed = parts.length < 3 ? parts.join(' and ') : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`
  return `${listed} ${plural}`
}

type Items = Comparison['inner']

/** Groups items into runs of equal and of changed items. */
function runsOf(items: Items): Items[] {
  const runs: Items[number][][] = []
  for (const item of items) {
    const last = runs.at(-1)
    const isSame = item.of.different === 0
    if (last && (last[0]?.of.different === 0) === isSame) last.push(item)
    else runs.push([item])
  }
  return runs
}

/** Formats changed items with equal items around them. Omitted ones are counted. */
function printChanges(of: Comparison, options: Options, most: number): DiffLine[] {
  const noun = NOUNS[of.type.kind]
  const runs = runsOf(of.inner)
  const lines: DiffLine[] = []
  const rest = none()
  let changes = 0
  const same = (items: Items): DiffLine[] =>
    items.map(({ name, of: item }) => ({
      sign: '',
      name: partName(of, name),
      text: formatComparison(item, { ...options, side: 'same' }, of.type.kind),
    }))
  for (const [i, run] of runs.entries()) {
    if (changes >= most) {
      for (const { of: item } of run)
        rest[item.different === 0 ? 'identical' : !item.next ? 'removed' : !item.old ? 'inserted' : 'modified']++
    } else if (run[0]?.of.different === 0) {
      const low = i === 0 ? 0 : Math.min(CONTEXT, run.length)
      let high = i === runs.length - 1 ? 0 : Math.min(CONTEXT, run.length - low)
      if (run.length - low - high === 1) high++
      const left = run.length - low - high
      lines.push(...same(run.slice(0, low)))
      if (left > 0) lines.push({ sign: '', name: '', text: ELLIPSIS, comment: countsText({ ...none(), identical: left }, noun) })
      lines.push(...same(run.slice(run.length - high)))
    } else {
      for (const { name, of: item } of run) lines.push(...printChange(item, partName(of, name), options, of.type.kind))
      changes += run.length
    }
  }
  if (Object.values(rest).some(count => count > 0)) lines.push({ sign: '', name: '', text: ELLIPSIS, comment: countsText(rest, noun) })
  return lines
}

/** Formats a changed item. A single value is shown with both sides; others by their parts. */
function printChange(item: Comparison, name: string, options: Options, parent: GoType['kind']): DiffLine[] {
  if (item.count !== item.depth) return [{ sign: '', name, text: formatComparison(item, options, parent) }]
  const sides: readonly (readonly [Sign, Side])[] = [
    ['-', item.old],
    ['+', item.next],
  ]
  return sides.flatMap(([sign, side]) => (side ? [{ sign, name, text: formatComparison(item, { ...options, side: sign }, parent) }] : []))
}
