import { isRecord, type Json, type JsonObject } from './objects.ts'

/** One line of an object as YAML. */
export interface YamlLine {
  readonly indent: number
  /** `- ` where an item begins. */
  readonly dash: boolean
  /** With its quotes, without the colon; absent: an item, or a part of a text. */
  readonly key?: string
  /** What is written behind the key; absent: its members follow. */
  readonly value?: string
  /** How the value is to be coloured. */
  readonly form?: 'text' | 'number' | 'word'
  /** The member or item that the line belongs to, as a JSON pointer. */
  readonly path: string
  /** The length of a value of which only the beginning is shown. */
  readonly cutFrom?: number
}

/** Of a longer line this much is shown. */
const LONGEST_LINE = 2_000
/** More lines of one object are not shown. */
export const MOST_LINES = 200_000

const PLAIN_KEY = /^[A-Za-z0-9_./-]+$/
const PLAIN_TEXT = /^[A-Za-z0-9_./](?:[A-Za-z0-9_./@+=$%^&()-]|[: ](?=[A-Za-z0-9_./]))*$/
/** What a block would say only by the indentation that it announces, or by how it ends. */
const NOT_A_BLOCK = /^\s|\n\n$/
const LONGEST_PLAIN = 500
/** What YAML would read as something else than a text. */
const NOT_A_TEXT = /^(?:true|false|yes|no|on|off|null|y|n|~|[-+.]?[0-9][0-9a-fA-F_.,xXoO:+-]*|\.(?:inf|nan)|\d{4}-\d\d-\d\d.*)$/i

/** The lines of a value, at any depth. */
export function yamlLines(value: Json): readonly YamlLine[] {
  const lines: YamlLine[] = []
  const stack: Work[] = [{ value, indent: 0, path: '', dash: false }]
  for (let work = stack.pop(); work !== undefined && lines.length < MOST_LINES; work = stack.pop()) addLines(work, lines, stack)
  return lines
}

interface Work {
  readonly value: Json
  readonly indent: number
  readonly path: string
  readonly dash: boolean
  readonly key?: string
}

function addLines({ value, indent, path, dash, key }: Work, lines: YamlLine[], stack: Work[]): void {
  const head = { indent, dash, path, ...(key !== undefined && { key: keyText(key) }) }
  // Members of an item stand beside its dash.
  const inner = indent + (dash ? 1 : 0)
  if (Array.isArray(value)) {
    if (value.length === 0 || key === undefined) {
      lines.push({ ...head, value: value.length === 0 ? '[]' : '', form: 'word' })
      if (value.length === 0) return
    } else lines.push(head)
    // As kubectl writes them, items stand below their key.
    const items = value as readonly Json[]
    for (let i = items.length - 1; i >= 0; i--)
      stack.push({ value: items[i] ?? null, indent: inner + (key === undefined ? 1 : 0), path: `${path}/${i}`, dash: true })
    return
  }
  if (isRecord(value)) addMembers(value, head, inner, lines, stack)
  else addScalar(value as Exclude<typeof value, readonly Json[]>, head, inner + (key === undefined ? 0 : 1), lines)
}

function addMembers(value: JsonObject, head: YamlLine, inner: number, lines: YamlLine[], stack: Work[]): void {
  const names = Object.keys(value)
  if (names.length === 0) {
    lines.push({ ...head, value: '{}', form: 'word' })
    return
  }
  const isItem = head.dash && head.key === undefined
  if (head.key !== undefined) lines.push(head)
  const indent = head.key === undefined ? inner : inner + 1
  const work = names.map(name => ({ value: value[name] ?? null, indent, path: `${head.path}/${pointerPart(name)}`, dash: false, key: name }))
  // The first member stands behind the dash.
  const [first, ...rest] = work
  for (const each of rest.reverse()) stack.push(each)
  if (first) stack.push(isItem ? { ...first, indent: head.indent, dash: true } : first)
}

function addScalar(value: null | boolean | number | string, head: YamlLine, inner: number, lines: YamlLine[]): void {
  if (typeof value !== 'string') {
    lines.push({ ...head, value: String(value), form: typeof value === 'number' ? 'number' : 'word' })
    return
  }
  if (!value.includes('\n') || NOT_A_BLOCK.test(value) || hasOdd(value)) {
    const isPlain = value.length <= LONGEST_PLAIN && PLAIN_TEXT.test(value) && !NOT_A_TEXT.test(value)
    lines.push({ ...head, ...(isPlain ? { value } : shortened(quoted(value), value.length)), form: 'text' })
    return
  }
  const ends = value.endsWith('\n')
  lines.push({ ...head, value: ends ? '|' : '|-', form: 'text' })
  for (const line of (ends ? value.slice(0, -1) : value).split('\n')) {
    if (lines.length >= MOST_LINES) return
    lines.push({ indent: inner, dash: false, path: head.path, ...shortened(line), form: 'text' })
  }
}

/** `length`: of the value that the text stands for. */
function shortened(text: string, length = text.length): Pick<YamlLine, 'value' | 'cutFrom'> {
  return text.length <= LONGEST_LINE ? { value: text } : { value: text.slice(0, LONGEST_LINE), cutFrom: length }
}

/** What would be read otherwise, or turns the direction of what stands beside it. */
const ODD = /[\p{Cc}\p{Cf}\p{Bidi_Control}\u2028\u2029]/u
const hasOdd = (value: string): boolean => ODD.test(value.replaceAll('\n', '').replaceAll('\t', ''))

const ODD_ONES = /[\p{Cf}\p{Bidi_Control}\u007f-\u009f\u2028\u2029]/gu
function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`
}

/** The beginning of a text as JSON has it, with escapes of all that cannot be seen. */
const quoted = (value: string): string => JSON.stringify(value.slice(0, LONGEST_LINE + 1)).replace(ODD_ONES, escaped)

const keyText = (key: string): string => (PLAIN_KEY.test(key) && !NOT_A_TEXT.test(key) && key.length < LONGEST_PLAIN ? key : quoted(key))

export const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** A line as text. */
export const lineText = ({ indent, dash, key, value }: YamlLine): string =>
  `${'  '.repeat(indent)}${dash ? '- ' : ''}${key === undefined ? '' : `${key}:${value === undefined || value === '' ? '' : ' '}`}${value ?? ''}`
