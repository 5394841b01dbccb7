import { parseDuration } from './duration.ts'
import { errorMessage } from './error-message.ts'
import { quote } from './go-quote.ts'
import { parseInteger } from './integer.ts'
import { isStepDone, type Steps } from './steps.ts'
import { isTimeZone } from './time-zone.ts'

/** Range of the values of a field, inclusive. */
interface FieldBounds {
  readonly min: number
  readonly max: number
  /** Optional. Names in lower case, in the order of their values. */
  readonly names?: readonly string[]
}

/** Minute, hour, day of month, month, day of week. The value of a name is its index in the list, counted from `min`. */
const FIELDS: readonly [FieldBounds, FieldBounds, FieldBounds, FieldBounds, FieldBounds] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]
/** Schedules that descriptors stand for. */
const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}
/** Begins a descriptor with a duration. */
const EVERY = '@every '
const SECOND_NS = 1_000_000_000n

/** Values of a field that a schedule allows. */
export interface CronField {
  /** Allowed values. Empty for a field without any range, such as `,`. */
  readonly values: ReadonlySet<number>
  /** Whether a part is `*` or `?`, without a step of more than 1. */
  readonly isAny: boolean
}

/** Fields of a schedule. */
export interface CronFields {
  readonly minute: CronField
  readonly hour: CronField
  readonly day: CronField
  readonly month: CronField
  /** 0 is Sunday. */
  readonly weekday: CronField
}

/** A parsed schedule. The zone is the one in its text. */
export type CronSchedule = { readonly zone?: string } & (CronFields | { readonly everySeconds: number })

/** Parses a non-negative number of 64 bits. Errors have the words of Go's strconv.Atoi. */
function parseNumber(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text)) throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: invalid syntax`)
  const value = parseInteger(text.replace('+', ''))
  if (BigInt.asIntN(64, value) !== value)
    throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: value out of range`)
  if (value < 0n) throw new Error(`negative number (${value}) not allowed: ${text}`)
  return Number(value)
}

/** Names match in any case. */
function parseNumberOrName(text: string, { min, names }: FieldBounds): number {
  const place = names?.indexOf(text.toLowerCase()) ?? -1
  return place === -1 ? parseNumber(text) : min + place
}

/**
 * Parses `*`, `?`, `3`, `1-5`, each with an optional `/step`, and adds the values to the field. With a step, a single
 * number starts a range up to the maximum: minute `5/15` is `5-59/15`. Returns whether the range is any value.
 */
function addRange(text: string, bounds: FieldBounds, values: Set<number>): boolean {
  // A long text is split only as far as needed to report its fault.
  const [range = '', ...steps] = text.split('/', 3)
  const ends = range.split('-', 3)
  const [first = '', last = ''] = ends
  const isStar = first === '*' || first === '?'
  let start = bounds.min
  let end = bounds.max
  if (!isStar) {
    start = parseNumberOrName(first, bounds)
    if (ends.length > 2) throw new Error(`too many hyphens: ${text}`)
    end = ends.length === 2 ? parseNumberOrName(last, bounds) : start
  }
  const [every, ...more] = steps
  if (more.length > 0) throw new Error(`too many slashes: ${text}`)
  const step = every === undefined ? 1 : parseNumber(every)
  if (every !== undefined && ends.length === 1) end = bounds.max
  if (start < bounds.min) throw new Error(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`)
  if (end > bounds.max) throw new Error(`end of range (${end}) above maximum (${bounds.max}): ${text}`)
  if (start > end) throw new Error(`beginning of range (${start}) beyond end of range (${end}): ${text}`)
  if (step === 0) throw new Error(`step of range should be a positive number: ${text}`)
  for (let value = start; value <= end; value += step) values.add(value)
  return isStar && step === 1
}

/** Parses `@every` with a Go duration. It is rounded down to seconds, and at least one second. */
function parseEvery(text: string): number {
  if (!text.startsWith(EVERY)) throw new Error(`unrecognized descriptor: ${text}`)
  try {
    const duration = parseDuration(text.slice(EVERY.length))
    return Math.max(1, Number(duration / SECOND_NS))
  } catch (error) {
    throw new Error(`failed to parse duration ${text}: ${errorMessage(error)}`)
  }
}

/** Splits off the time zone, such as `CRON_TZ=Etc/UTC `. */
function splitZone(text: string): { readonly zone?: string; readonly fields: string } {
  const prefix = /^(?:CRON_)?TZ=([^ ]*)/.exec(text)
  if (!prefix) return { fields: text }
  const [whole, zone = ''] = prefix
  if (!isTimeZone(zone) && zone !== 'Local') throw new Error(`provided bad location ${zone}: unknown time zone ${zone}`)
  return { ...(zone !== 'Local' && { zone }), fields: text.slice(whole.length).trim() }
}

/** Parses every range of a field. A field may have as many as a request body has room for. */
function* parseField(field: string, bounds: FieldBounds): Steps<CronField> {
  const values = new Set<number>()
  let isAny = false
  for (let from = 0; from <= field.length; ) {
    const comma = field.indexOf(',', from)
    const end = comma < 0 ? field.length : comma
    if (end > from && addRange(field.slice(from, end), bounds, values)) isAny = true
    from = end + 1
    if (isStepDone()) yield
  }
  return { values, isAny }
}

/**
 * Parses a schedule in the standard format: five fields, or a descriptor. Throws an Error with the message of
 * github.com/robfig/cron (version 3) if it has another format. Runs in steps, because its length is not limited, nor is
 * it upstream.
 */
export function* parseSchedule(schedule: string): Steps<CronSchedule> {
  const { fields: text, ...zone } = splitZone(schedule)
  const described = Object.hasOwn(DESCRIPTORS, text) ? DESCRIPTORS[text] : undefined
  if (text.startsWith('@') && described === undefined) return { ...zone, everySeconds: parseEvery(text) }
  const fields: string[] = []
  for (const [field] of (described ?? text).matchAll(/\S+/g)) {
    fields.push(field)
    if (isStepDone()) yield
  }
  const [minute, hour, day, month, weekday] = FIELDS
  if (fields.length !== 5) throw new Error(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`)
  return {
    ...zone,
    minute: yield* parseField(fields[0] ?? '', minute),
    hour: yield* parseField(fields[1] ?? '', hour),
    day: yield* parseField(fields[2] ?? '', day),
    month: yield* parseField(fields[3] ?? '', month),
    weekday: yield* parseField(fields[4] ?? '', weekday),
  }
}
