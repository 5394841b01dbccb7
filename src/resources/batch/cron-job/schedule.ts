import { parseDuration } from '../../../lib/duration.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { quote } from '../../../lib/go-quote.ts'
import { parseInteger } from '../../../lib/integer.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { isTimeZone } from './time-zone.ts'

/** Range of the values of a field, inclusive. */
interface FieldBounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

/** Minute, hour, day of month, month, day of week. The value of a name is its index in the list, counted from `min`. */
const FIELDS: readonly FieldBounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]
const DESCRIPTORS = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'])
const EVERY = '@every '

/** Parses a non-negative number of 64 bits. Errors have the words of Go's strconv.Atoi. */
function parseNumber(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text)) throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: invalid syntax`)
  const value = parseInteger(text.replace('+', ''))
  if (BigInt.asIntN(64, value) !== value) throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: value out of range`)
  if (value < 0n) throw new Error(`negative number (${value}) not allowed: ${text}`)
  return Number(value)
}

function parseNumberOrName(text: string, { min, names }: FieldBounds): number {
  const place = names?.indexOf(text.toLowerCase()) ?? -1
  return place === -1 ? parseNumber(text) : min + place
}

/** Checks `*`, `?`, `3`, `1-5`, each with an optional `/step`. With a step, a single number starts a range up to the maximum: minute `5/15` is `5-59/15`. */
function checkRange(text: string, bounds: FieldBounds): void {
  // A long text is split only as far as needed to report its fault.
  const [range = '', ...steps] = text.split('/', 3)
  const ends = range.split('-', 3)
  const [first = '', last = ''] = ends
  let start = bounds.min
  let end = bounds.max
  if (first !== '*' && first !== '?') {
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
}

/** Checks a name such as `@daily`, or `@every` with a Go duration. */
function checkDescriptor(text: string): void {
  if (DESCRIPTORS.has(text)) return
  if (!text.startsWith(EVERY)) throw new Error(`unrecognized descriptor: ${text}`)
  try {
    parseDuration(text.slice(EVERY.length))
  } catch (error) {
    throw new Error(`failed to parse duration ${text}: ${errorMessage(error)}`)
  }
}

/** Returns the schedule without its time zone prefix, such as `CRON_TZ=Etc/UTC `. */
function withoutZone(text: string): string {
  const zone = /^(?:CRON_)?TZ=([^ ]*)/.exec(text)
  if (!zone) return text
  const [whole, name = ''] = zone
  if (!isTimeZone(name) && name !== 'Local') throw new Error(`provided bad location ${name}: unknown time zone ${name}`)
  return text.slice(whole.length).trim()
}

/** Checks every range of a field. A field may have as many as a request body has room for. */
function* checkField(field: string, bounds: FieldBounds): Steps<void> {
  for (let from = 0; from <= field.length; ) {
    const comma = field.indexOf(',', from)
    const end = comma < 0 ? field.length : comma
    if (end > from) checkRange(field.slice(from, end), bounds)
    from = end + 1
    if (isStepDone()) yield
  }
}

/**
 * Throws an Error with the message of github.com/robfig/cron (version 3) unless the schedule has the standard format: five fields, or a descriptor. Runs in
 * steps, because its length is not limited, nor is it upstream.
 */
export function* checkSchedule(schedule: string): Steps<void> {
  const text = withoutZone(schedule)
  if (text.startsWith('@')) {
    checkDescriptor(text)
    return
  }
  const fields: string[] = []
  for (const [field] of text.matchAll(/\S+/g)) {
    fields.push(field)
    if (isStepDone()) yield
  }
  if (fields.length !== FIELDS.length) throw new Error(`expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`)
  for (const [i, bounds] of FIELDS.entries()) yield* checkField(fields[i] ?? '', bounds)
}
