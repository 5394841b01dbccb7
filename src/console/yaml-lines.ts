import { isRecord, type Json, type JsonObject } from './objects.ts'

/** A line of an object as YAML. */
export interface YamlLine {
  readonly indent: number
  /** Whether the line begins an item, with `- `. */
  readonly dash: boolean
  /** Key with quotes and without the colon. Omitted for an item, or a line of a block text. */
  readonly key?: string
  /** Value after the key. Omitted if members follow on the next lines. */
  readonly value?: string
  /** Color class of the value. */
  readonly form?: 'text' | 'number' | 'word'
  /** JSON pointer of the member or item. */
  readonly path: string
  /** Original length of a truncated value. */
  readonly cutFrom?: number
}

/** Longer lines are truncated. */
const LONGEST_LINE = 2_000
/** Limit for the lines of an object. */
export const MOST_LINES = 200_000

const PLAIN_KEY = /^[A-Za-z0-9_./-]+$/
const PLAIN_TEXT = /^[A-Za-z0-9_./](?:[A-Za-z0-9_./@+=$%^&()-]|[: ](?=[A-Za-z0-9_./]))*$/
/** Texts that a block scalar could express only with indentation or chomping indicators. */
const NOT_A_BLOCK = /^\s|\n\n$/
const LONGEST_PLAIN = 500
/** Texts that YAML would parse as another type. */
const NOT_A_TEXT = /^(?:true|false|yes|no|on|off|null|y|n|~|[-+.]?[0-9][0-9a-fA-F_.,xXoO:+-]*|\.(?:inf|nan)|\d{4}-\d\d-\d\d.*)$/i

/** Returns the lines of a value. Not recursive, so the depth is not limited by the call stack. */
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
  // The members of an item are indented beside its dash.
  const inner = indent + (dash ? 1 : 0)
  if (Array.isArray(value)) {
    if (value.length === 0 || key === undefined) {
      lines.push({ ...head, value: value.length === 0 ? '[]' : '', form: 'word' })
      if (value.length === 0) return
    } else lines.push(head)
    // Items are not indented below their key, as in kubectl's output.
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
  const work = names.map(name => ({
    value: value[name] ?? null,
    indent,
    path: `${head.path}/${pointerPart(name)}`,
    dash: false,
    key: name,
  }))
  // The first member follows the dash.
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
    lines.push({ ...head, ...(isPlain ? { value } : shortened(quoteStart(value), value.length)), form: 'text' })
    return
  }
  const ends = value.endsWith('\n')
  lines.push({ ...head, value: ends ? '|' : '|-', form: 'text' })
  for (const line of (ends ? value.slice(0, -1) : value).split('\n')) {
    if (lines.length >= MOST_LINES) return
    lines.push({ indent: inner, dash: false, path: head.path, ...shortened(line), form: 'text' })
  }
}

/**
 * Truncates a value.
 * @param length original length of the value.
 */
function shortened(text: string, length = text.length): Pick<YamlLine, 'value' | 'cutFrom'> {
  return text.length <= LONGEST_LINE ? { value: text } : { value: text.slice(0, LONGEST_LINE), cutFrom: length }
}

/** Characters that would be read differently, or change the direction of adjacent text. */
const ODD = /[\p{Cc}\p{Cf}\p{Bidi_Control}\u2028\u2029]/u
const hasOdd = (value: string): boolean => ODD.test(value.replaceAll('\n', '').replaceAll('\t', ''))

const ODD_ONES = /[\p{Cf}\p{Bidi_Control}\u007f-\u009f\u2028\u2029]/gu
function escapeChar(char: string): string {
  const code = char.codePointAt(0) ?? 0
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`
}

/** Quotes the beginning of a text as JSON, with escapes for all invisible characters. */
const quoteStart = (value: string): string => JSON.stringify(value.slice(0, LONGEST_LINE + 1)).replace(ODD_ONES, escapeChar)

const keyText = (key: string): string =>
  PLAIN_KEY.test(key) && !NOT_A_TEXT.test(key) && key.length < LONGEST_PLAIN ? key : quoteStart(key)

/** Escapes a part of a JSON pointer (RFC 6901). */
export const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Returns the text of a line. */
export const lineText = ({ indent, dash, key, value }: YamlLine): string =>
  `${'  '.repeat(indent)}${dash ? '- ' : ''}${key === undefined ? '' : `${key}:${value === undefined || value === '' ? '' : ' '}`}${value ?? ''}`
