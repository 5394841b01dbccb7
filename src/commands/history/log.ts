import type { Json } from '../../api/meta/object.ts'
import type { Streams } from '../../lib/arguments.ts'
import { ArgumentError } from '../../lib/arguments.ts'
import { onOneLine } from '../../lib/printable.ts'
import { authorsOf, type ChangeAuthor, type FieldChange, fieldChanges } from './field-changes.ts'
import { type ObjectChange, type ObjectContext, objectChanges, runObjectCommand } from './object-command.ts'

const USAGE = `Usage: binnacle log KIND/NAME

Lists the changes of an object with their managers and fields, newest first, as far back as the server keeps its history, including deletions.

      --limit       number of changes (default: all)
  -o, --output      text, or json: one line per change
`

/** Characters of a value that are printed. */
const SHOWN = 100

/** A change, with its authors and the fields that it changed. */
interface LogEntry {
  readonly change: ObjectChange
  readonly authors: readonly ChangeAuthor[]
  readonly fields: readonly FieldChange[]
}

/** Runs the command. Resolves with the exit status: 1 if the server knows no change of the object. */
export const runLog = (argv: readonly string[], streams: Streams): Promise<number> =>
  runObjectCommand(
    argv,
    { options: { limit: 'value' }, usage: USAGE, outputs: ['text', 'json'], check: given => void limitOf(given.value('limit')) },
    streams,
    context => log(context, streams),
  )

async function log({ given, client, object }: ObjectContext, { out, err }: Streams): Promise<number> {
  const limit = limitOf(given.value('limit'))
  const asJson = given.value('output') === 'json'
  let count = 0
  for await (const entry of logEntries(objectChanges(client, object, limit === undefined ? {} : { limit: Math.min(limit + 1, 500) }))) {
    if (count === limit) return 0
    out(asJson ? entryJson(entry) : entryText(entry))
    count++
  }
  if (count === 0) err(`no change of ${onOneLine(object.label)} is recorded\n`)
  return count === 0 ? 1 : 0
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new ArgumentError(`--limit ${text}: must be a positive number`)
  return Number(text)
}

/** Compares each change with the older one that follows it. */
async function* logEntries(changes: AsyncIterable<ObjectChange>): AsyncGenerator<LogEntry> {
  let newer: ObjectChange | undefined
  for await (const change of changes) {
    if (newer !== undefined) yield logEntry(newer, change)
    newer = change
  }
  if (newer !== undefined) yield logEntry(newer, undefined)
}

function logEntry(change: ObjectChange, older: ObjectChange | undefined): LogEntry {
  // The oldest change that is kept can be an update, whose previous state is unknown.
  const isKnown = change.object !== undefined && (change.type === 'created' || older?.object !== undefined)
  if (!isKnown) return { change, authors: authorsOf(undefined, change.object), fields: [] }
  const before = change.type === 'created' ? undefined : older?.object
  return {
    change,
    authors: authorsOf(before, change.object),
    fields: fieldChanges(before, change.object).filter(({ path }) => path !== 'kind' && path !== 'apiVersion'),
  }
}

function entryText({ change: { revision, time, type, error }, authors, fields }: LogEntry): string {
  const who = authors
    .map(({ manager, operation, subresource }) => `${manager} (${operation}${subresource === undefined ? '' : `, ${subresource}`})`)
    .join(', ')
  const head = `revision ${revision}  ${time ?? 'before the history began'}  ${type}${who === '' ? '' : ` by ${onOneLine(who)}`}`
  const lines = fields.map(field => `    ${fieldText(field)}`)
  return `${[head, ...(error === undefined ? [] : [`    cannot be read: ${onOneLine(error)}`]), ...lines].join('\n')}\n`
}

function fieldText({ path, from, to }: FieldChange): string {
  const name = onOneLine(path)
  if (from === undefined) return `${name}: ${shortJson(to)}`
  return to === undefined ? `${name}: removed (${shortJson(from)})` : `${name}: ${shortJson(from)} → ${shortJson(to)}`
}

function shortJson(value: Json | undefined): string {
  const text = onOneLine(JSON.stringify(value) ?? '')
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}

const entryJson = ({ change: { revision, time, type, error }, authors, fields }: LogEntry): string =>
  `${JSON.stringify({ revision, time, type, error, authors, fields })}\n`
