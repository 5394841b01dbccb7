import type { Json, KubeObject, ListMeta } from '../../../api/meta/object.ts'
import type { TableColumn, TableDefinition } from '../../../catalog/definition.ts'
import { escapeHtml, goJson } from '../../../codec/json.ts'
import { rawJsonInSteps } from '../../../codec/json-in-steps.ts'
import type { FilledBody } from '../../../lib/filled-body.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import { runAtOnce, runIfSteps, runInTurns, type Steps } from '../../../lib/steps.ts'
import { endTurn } from '../../../lib/turn.ts'
import { AGE_MARK, ANY_TIME, withAges } from '../../../meta/age.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import { rawJson } from '../../../schema/json-text.ts'
import { DERIVED_BYTES } from '../../../storage/byte-budget.ts'
import { LARGE_BYTES, metadataOf, parseOwnInSteps, withoutManagers, withoutManagersInSteps } from '../../../storage/parse-own.ts'
import type { Encoded } from '../../../storage/storage.ts'
import { listMetaText, objectMetaText, objectMetaTextInSteps } from '../meta-v1.ts'
import { metadataStart, metadataText } from '../metadata/render-metadata.ts'
import { type ReadySource, type RowSource, SplicedBody } from '../spliced-body.ts'

/** Content of a row besides its cells (TableOptions.includeObject). */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

/** Options of a Table. Ages are relative to `now`, in milliseconds. */
export interface TableOptions {
  readonly includeObject: IncludeObject
  /** `v1` or `v1beta1`. */
  readonly version: string
  /** Group as it is spelled in the media type. */
  readonly group: string
  readonly now: number
}

const AGE_MARK_BYTE = AGE_MARK.charCodeAt(0)
/** Rows that are rendered between two checks of the clock. */
const ROWS_AT_ONCE = 8

/** Default columns of a kind: Name and Created At. */
export const DEFAULT_TABLE: TableDefinition = {
  columns: [
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'The name of the object, unique among those of its kind in its namespace.',
    },
    { name: 'Created At', type: 'date', description: 'When the object was created, in RFC 3339 and UTC.' },
  ],
  cells: object => [object.metadata.name ?? '', object.metadata.creationTimestamp ?? ''],
}

/**
 * Renders the meta.k8s.io Table of objects. The result opens the body, any number of times. `hasColumns`: whether it
 * has column definitions.
 */
export async function renderTable(
  table: TableDefinition,
  meta: ListMeta,
  objects: readonly RowSource[],
  options: TableOptions,
  hasColumns = true,
): Promise<() => FilledBody> {
  const { order } = table
  const ordered = order ? [...objects].sort((a, b) => order(a.object(), b.object())) : objects
  const body = new SplicedBody()
  const columns = hasColumns ? (knownColumns.get(table.columns) ?? (await runInTurns(columnTexts(table.columns)))) : NO_COLUMNS
  let before = tableStart(meta, options)
  // Only tables of very many columns have several texts.
  for (const text of columns.slice(0, -1)) {
    body.add(before + text)
    before = ''
  }
  before += `${columns.at(-1)},"rows":[`
  const rows: Rows = { body, table, options, keep: ordered.length <= MOST_KEPT, large: await rowsInTurns(table, ordered, options) }
  await eachInSlices(
    ordered,
    item => {
      before = addRow(rows, before, item)
    },
    ROWS_AT_ONCE,
  )
  body.add(`${ordered.length > 0 ? before.slice(0, -1) : before}]}\n`)
  return () => body.open()
}

interface Span {
  readonly from: number
  readonly to: number
}

/** The cached data of an object's rows, which does not depend on the time. */
class RenderedRow {
  /** JSON of the cells with placeholders for ages, and the row's conditions. */
  readonly cells: string
  /** Position of the metadata in the object's JSON. Undefined if the metadata is in `partial`. */
  readonly metadata: Span | undefined
  readonly partial: string | undefined

  constructor(cells: string, metadata: Span | undefined, partial: string | undefined) {
    this.cells = cells
    this.metadata = metadata
    this.partial = partial
  }
}

/** Memory of a cached row without its texts, in bytes. */
const ROW_BYTES = 120
/** Longer Tables are not cached: the first rows would be dropped before the last are made. */
const MOST_KEPT = Math.floor((0.75 * DERIVED_BYTES) / 350)

/** Target of a Table's rows. */
interface Rows {
  readonly body: SplicedBody
  readonly table: TableDefinition
  readonly options: TableOptions
  /** Whether row data is cached with the objects. */
  readonly keep: boolean
  /** Rows of large objects and of many columns, which take turns to make. */
  readonly large: ReadonlyMap<RowSource, RenderedRow | string>
}

/** Whether a row takes turns to make: that of a large object, or of a table with many columns. */
export const isLargeRow = (table: TableDefinition, item: RowSource): boolean =>
  table.columns.length > COLUMNS_AT_ONCE ||
  (item.json === undefined ? !hasFewValues(item.object()) : item.json().bytes.length >= LARGE_BYTES)

/**
 * Makes the large rows that are not cached, in turns. A row that cannot be cached is the text of its cells and its
 * object.
 */
async function rowsInTurns(
  table: TableDefinition,
  items: readonly RowSource[],
  options: TableOptions,
): Promise<ReadonlyMap<RowSource, RenderedRow | string>> {
  const large: RowSource[] = []
  await eachInSlices(items, item => {
    if (!(item.json && item.noted?.(table) instanceof RenderedRow) && isLargeRow(table, item)) large.push(item)
  })
  const rows = new Map<RowSource, RenderedRow | string>()
  for (const item of large) {
    const row = item.json && (await runInTurns(rowInSteps(table, item)))
    rows.set(item, row ?? (await runInTurns(rowTextInSteps(table, item, options))))
  }
  return rows
}

/** Adds a row behind `before`. Returns the text before the next one. */
function addRow({ body, table, options, keep, large }: Rows, before: string, item: RowSource): string {
  const made = large.get(item)
  const row = item.json === undefined || typeof made === 'string' ? undefined : readyRow(table, item, keep, made)
  if (item.json === undefined || row === undefined) {
    body.add(before + (typeof made === 'string' ? made : tableRow(table, item.object(), options)))
    return ','
  }
  const { metadata, partial } = row
  const start = `${before}{"cells":${withAges(row.cells, options.now)},"object":`
  switch (options.includeObject) {
    case 'None':
      body.add(`${start}null`)
      return '},'
    case 'Object':
      body.add(start, item, 0, item.json().bytes.length)
      return '},'
    case 'Metadata': {
      const text = start + metadataStart(`${options.group}/${options.version}`)
      if (metadata === undefined) body.add(text + partial)
      else body.add(text, item, metadata.from, metadata.to)
      return '}},'
    }
  }
}

/**
 * Returns the data of a row, which the object may cache. Undefined if the object's JSON contains the placeholder of
 * ages, which could not be distinguished then.
 */
function readyRow(table: TableDefinition, item: ReadySource, keep: boolean, made: RenderedRow | undefined): RenderedRow | undefined {
  const noted = item.noted?.(table)
  // Cached data was checked for placeholders when it was made.
  if (noted instanceof RenderedRow) return noted
  const ready = item.json()
  if (made === undefined && ready.bytes.includes(AGE_MARK_BYTE)) return undefined
  const row = made ?? rowOf(table, item, ready)
  if (keep) item.note?.(table, row, ROW_BYTES + flatLength(row.cells) + flatLength(row.partial ?? ''))
  return row
}

/**
 * Returns the bytes of a text, and flattens it: V8 keeps a concatenation as a tree, at 32 bytes for each part, until it
 * is read.
 */
const flatLength = (text: string): number => Buffer.byteLength(text)

/**
 * Renders the row of an object. Managed fields are skipped if their position is known: parsing them would take longer
 * than all cells.
 */
function rowOf(table: TableDefinition, item: ReadySource, ready: Encoded): RenderedRow {
  const metadata = ready.header > 1 ? metadataOf(ready) : undefined
  if (metadata) return rowWith(table, withoutManagers(ready, metadata), metadata)
  const object = item.object()
  return rowWith(table, object, undefined, objectMetaText(object.metadata))
}

const rowWith = (table: TableDefinition, object: KubeObject, metadata: Span | undefined, partial?: string): RenderedRow =>
  rowOfCells(table, object, table.cells(object, ANY_TIME), metadata, partial)

const rowOfCells = (
  table: TableDefinition,
  object: KubeObject,
  cells: Json[],
  metadata: Span | undefined,
  partial: string | undefined,
): RenderedRow => new RenderedRow(cellsText(cells) + conditionsText(table, object), metadata, partial)

/** The same in steps, of a large object or of many columns. Undefined as of `readyRow`. */
export function* rowInSteps(table: TableDefinition, item: ReadySource): Steps<RenderedRow | undefined> {
  const ready = item.json()
  if (ready.bytes.includes(AGE_MARK_BYTE)) return undefined
  const metadata = ready.header > 1 ? metadataOf(ready) : undefined
  yield
  const object = metadata ? yield* withoutManagersInSteps(ready, metadata) : yield* parseOwnInSteps(ready.bytes)
  yield
  const partial = metadata ? undefined : yield* objectMetaTextInSteps(object.metadata)
  // Cells that count members list them, which cannot be divided.
  endTurn()
  yield
  const cells = yield* runIfSteps((table.cellsInSteps ?? table.cells)(object, ANY_TIME))
  if (table.cellsInSteps) yield
  const row = rowOfCells(table, object, cells, metadata, partial)
  endTurn()
  yield
  return row
}

/** Returns a Table of one row, for a watch event. */
export function tableEvent(table: TableDefinition, object: KubeObject, options: TableOptions, columns: boolean): string {
  const { resourceVersion } = object.metadata
  const start = tableStart(resourceVersion === undefined ? {} : { resourceVersion }, options)
  // A watch sends the columns once.
  const columnsText = columns ? runAtOnce(columnTexts(table.columns)).join('') : 'null'
  return `${start}${columnsText},"rows":[${tableRow(table, object, options)}]}`
}

/** Returns the members before the columns. */
const tableStart = (meta: ListMeta, { group, version }: TableOptions): string =>
  `{"kind":"Table","apiVersion":"${group}/${version}","metadata":${listMetaText(meta)},"columnDefinitions":`

/** Columns that are written or printed in one call. More make a table wide. */
const COLUMNS_AT_ONCE = 256

/** Text in place of the columns of a Table that has none. */
const NO_COLUMNS: readonly string[] = ['null']

/** Result of `columnTexts` for the columns of each table. */
const knownColumns = new WeakMap<readonly TableColumn[], readonly string[]>()

/** Encodes columns in steps. Returns the JSON in parts. */
export function* columnTexts(columns: readonly TableColumn[]): Steps<readonly string[]> {
  const known = knownColumns.get(columns)
  if (known) return known
  const texts: string[] = []
  for (let i = 0; i < columns.length; i += COLUMNS_AT_ONCE) {
    if (i > 0) yield
    const text = JSON.stringify(columns.slice(i, i + COLUMNS_AT_ONCE).map(columnDefinition))
    const isLast = i + COLUMNS_AT_ONCE >= columns.length
    texts.push(escapeHtml(`${i === 0 ? '[' : ','}${text.slice(1, -1)}${isLast ? ']' : ''}`))
  }
  knownColumns.set(columns, texts)
  return texts
}

const columnDefinition = ({ name, type, format = '', description, priority = 0 }: TableColumn): object => ({
  name,
  type,
  format,
  description,
  priority,
})

/** Renders a row that is not cached. */
function tableRow(table: TableDefinition, object: KubeObject, options: TableOptions): string {
  return `{"cells":${cellsText(table.cells(object, options.now))}${conditionsText(table, object)},"object":${rowObject(object, options)}}`
}

/** `tableRow` in steps, for a large object or many columns. */
export function* rowTextInSteps(table: TableDefinition, item: RowSource, options: TableOptions): Steps<string> {
  const object = item.json ? yield* parseOwnInSteps(item.json().bytes) : item.object()
  endTurn()
  yield
  const cells = yield* runIfSteps((table.cellsInSteps ?? table.cells)(object, options.now))
  if (table.cellsInSteps) yield
  const start = `{"cells":${cellsText(cells)}${conditionsText(table, object)},"object":`
  endTurn()
  yield
  return `${start}${yield* rowObjectInSteps(object, options)}}`
}

/** `rowObject` in steps. */
function* rowObjectInSteps(object: KubeObject, options: TableOptions): Steps<string> {
  switch (options.includeObject) {
    case 'None':
      return 'null'
    case 'Object': {
      const texts: string[] = []
      for (const text of yield* rawJsonInSteps(object)) {
        texts.push(escapeHtml(text))
        yield
      }
      return texts.join('')
    }
    case 'Metadata':
      return `${metadataStart(`${options.group}/${options.version}`)}${yield* objectMetaTextInSteps(object.metadata)}}`
  }
}

/** Returns the object of a row. Upstream's default is its metadata. */
function rowObject(object: KubeObject, options: TableOptions): string {
  switch (options.includeObject) {
    case 'None':
      return 'null'
    case 'Object':
      return escapeHtml(rawJson(object))
    case 'Metadata':
      return metadataText(object, `${options.group}/${options.version}`)
  }
}

/** Returns the member `conditions`. Omitted if there are none, as in Go. */
function conditionsText(table: TableDefinition, object: KubeObject): string {
  const conditions = table.conditions?.(object)
  return conditions ? `,"conditions":${JSON.stringify(conditions)}` : ''
}

const NONE = '<none>'
const ESCAPED_NONE = '\\u003cnone\\u003e'

/**
 * Encodes the cells. JSON.stringify is much faster, and its result only differs in characters that Go escapes, unless
 * there are objects or unusual numbers.
 */
function cellsText(cells: Json[]): string {
  if (!cells.every(isPlainCell)) return goJson(cells)
  const text = JSON.stringify(cells)
  // JSON.stringify escapes lone surrogates; Go's encoder replaces them.
  if (text.includes('\\ud')) return goJson(cells)
  // `<none>`, which many rows have, is replaced before the escaping searches each character.
  return escapeHtml(text.replaceAll(NONE, ESCAPED_NONE))
}

const isPlainCell = (cell: Json): boolean =>
  typeof cell === 'string' || typeof cell === 'boolean' || cell === null || (Number.isSafeInteger(cell) && !Object.is(cell, -0))
