import { ArgumentError, type Arguments } from '../lib/arguments.ts'
import { flagHint } from '../lib/bounded-input.ts'

/** Limits on what a command reads and prints. */
export interface InputLimits {
  /** Bytes of a JSON file. A YAML file may have an eighth of them, since its tree takes eight times the memory. */
  readonly fileBytes: number
  /** Values of a JSON file, which take about 100 bytes each. A YAML file may have a fifth of them. */
  readonly values: number
  /** Bytes to which an archive may unpack, in addition to a hundred times its own size. */
  readonly unpackedBytes: number
  readonly objects: number
  readonly minutes: number
  /** Lines on standard error. */
  readonly lines: number
}

/** Limits that apply unless flags change them. */
export const DEFAULT_LIMITS: InputLimits = {
  fileBytes: 256 << 20,
  values: 5_000_000,
  unpackedBytes: 64 << 20,
  objects: 2_000_000,
  minutes: 60,
  lines: 1000,
}

/** Fractions of the JSON limits that apply to YAML. */
const [YAML_BYTES, YAML_VALUES] = [1 / 8, 1 / 5]

/** Flags of the limits. */
const FLAGS = {
  fileBytes: 'max-file-bytes',
  values: 'max-values',
  unpackedBytes: 'max-unpacked-bytes',
  objects: 'max-objects',
  minutes: 'max-minutes',
  lines: 'max-lines',
} as const satisfies Record<keyof InputLimits, string>

/** Flags of the limits for `readArguments`. */
export const LIMIT_OPTIONS = {
  'max-file-bytes': 'value',
  'max-values': 'value',
  'max-unpacked-bytes': 'value',
  'max-objects': 'value',
  'max-minutes': 'value',
  'max-lines': 'value',
} as const

/** Flags of the limits for a usage text. */
export const LIMITS_USAGE = `Limits that protect against input made to exhaust the machine:
      --max-file-bytes      bytes of a JSON file; an eighth for YAML (default ${DEFAULT_LIMITS.fileBytes})
      --max-values          values of a JSON file; a fifth for YAML (default ${DEFAULT_LIMITS.values})
      --max-unpacked-bytes  bytes of an unpacked archive, plus a hundred times its size (default ${DEFAULT_LIMITS.unpackedBytes})
      --max-objects         objects in all files (default ${DEFAULT_LIMITS.objects})
      --max-minutes         minutes of reading (default ${DEFAULT_LIMITS.minutes})
      --max-lines           lines on standard error (default ${DEFAULT_LIMITS.lines})
`

/** Reads the flags. Throws ArgumentError. */
export function readLimits(given: Arguments): InputLimits {
  const read = (member: keyof InputLimits): number => {
    const text = given.value(FLAGS[member])
    if (text === undefined) return DEFAULT_LIMITS[member]
    if (!/^[1-9]\d{0,14}$/.test(text)) throw new ArgumentError(`--${FLAGS[member]} ${text}: must be a number greater than 0`)
    return Number(text)
  }
  return {
    fileBytes: read('fileBytes'),
    values: read('values'),
    unpackedBytes: read('unpackedBytes'),
    objects: read('objects'),
    minutes: read('minutes'),
    lines: read('lines'),
  }
}

/** Message for an exceeded limit: `it has more than 5 values (--max-values raises the bound)`. */
export const exceeds = (member: keyof InputLimits, what: string): string => `${what}${flagHint(FLAGS[member])}`

/** Returns the name of a limit's flag, without dashes. */
export const limitFlag = (member: keyof InputLimits): string => FLAGS[member]

/** Limit on the depth of arrays and objects, as in Go's encoding/json. */
const DEEPEST = 10_000

/**
 * Returns the reason why a text must not be parsed as JSON: its depth or its number of values. Undefined if it may be
 * parsed, or is not JSON. A parser would read the whole text and fill memory with its values; this function stops where
 * the limit is exceeded.
 */
export function jsonFault(bytes: Buffer, { values }: InputLimits): string | undefined {
  let [count, depth] = [0, 0]
  let start = 0
  while (isSpace(bytes[start])) start++
  if (bytes[start] !== 0x7b && bytes[start] !== 0x5b) return undefined
  for (let i = start; i < bytes.length; i++) {
    const c = bytes[i]
    if (c === 0x22) i = stringEnd(bytes, i + 1)
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > DEEPEST) return `it is nested deeper than ${DEEPEST} levels`
      count++
    } else if (c === 0x7d || c === 0x5d) depth--
    else if (c === 0x2c || c === 0x3a) count++
    if (count > values) return exceeds('values', `it has more than ${values} values`)
  }
  return undefined
}

const isSpace = (c: number | undefined): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09

/** Returns the offset of the quote that ends a string, or of the last byte if there is none. */
function stringEnd(bytes: Buffer, from: number): number {
  let i = from
  for (; i < bytes.length; i++) {
    const c = bytes[i]
    if (c === 0x5c) i++
    else if (c === 0x22) return i
  }
  return i
}

/**
 * Returns the reason why a text must not be parsed as YAML: its length or its number of values. A value in block style
 * takes a line, and one in flow style a comma or a bracket. A carriage return alone may end a line.
 */
export function yamlFault(bytes: Buffer, { values, fileBytes }: InputLimits): string | undefined {
  const [mostBytes, mostValues] = [Math.ceil(fileBytes * YAML_BYTES), Math.ceil(values * YAML_VALUES)]
  if (bytes.length > mostBytes)
    return exceeds('fileBytes', `it has ${bytes.length} bytes, more than the ${mostBytes} of a YAML file; JSON may be larger`)
  let [count, wasMark] = [0, false]
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes[i]
    const isMark = c === 0x2c || c === 0x5b || c === 0x7b || c === 0x0d
    if (c === 0x0a ? !wasMark : isMark) count++
    wasMark = isMark
    if (count > mostValues) return exceeds('values', `it may have more than ${mostValues} values, the limit of a YAML file`)
  }
  return undefined
}
