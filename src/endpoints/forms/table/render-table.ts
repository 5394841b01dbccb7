import type { TableDefinition } from '../../../catalog/definition.ts'
import { escapeHtml, goJson } from '../../../codec/json.ts'
import { rawJson } from '../../../codec/json-writer.ts'
import type { FilledBody } from '../../../lib/filled-body.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import { AGE_MARK, ANY_TIME, withAges } from '../../../meta/age.ts'
import type { Json, KubeObject, ListMeta } from '../../../meta/object.ts'
import { DERIVED_BYTES } from '../../../storage/byte-budget.ts'
import { metadataOf, withoutManagers } from '../../../storage/parse-own.ts'
import type { Encoded } from '../../../storage/storage.ts'
import { listMetaText, objectMetaText } from '../meta-v1.ts'
import { metadataStart, metadataText } from '../metadata/render-metadata.ts'
import { type ReadySource, type RowSource, SplicedBody } from '../spliced-body.ts'

/** What a row carries beside its cells (TableOptions.includeObject). */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

/** What the request says of a Table, and when it was made: ages are as of `now`, in milliseconds. */
export interface TableOptions {
  readonly includeObject: IncludeObject
  /** `v1` or `v1beta1`. */
  readonly version: string
  /** The media type's own spelling of the group. */
  readonly group: string
  readonly now: number
}

const AGE_MARK_BYTE = AGE_MARK.charCodeAt(0)
/** Rows between looks at the clock. */
const ROWS_AT_ONCE = 8

/** Name and Created At: the columns of a kind that has none of its own. */
export const DEFAULT_TABLE: TableDefinition = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'The name of the object, unique among those of its kind in its namespace.' },
    { name: 'Created At', type: 'date', description: 'When the object was created, in RFC 3339 and UTC.' },
  ],
  cells: object => [object.metadata.name ?? '', object.metadata.creationTimestamp ?? ''],
}

/** meta.k8s.io Table of the objects; what is given opens the body, as often as it is wanted. */
export async function renderTable(table: TableDefinition, meta: ListMeta, objects: readonly RowSource[], options: TableOptions): Promise<() => FilledBody> {
  const { order } = table
  const ordered = order ? [...objects].sort((a, b) => order(a.object(), b.object())) : objects
  const body = new SplicedBody()
  let before = tableHead(table, meta, options, true)
  const rows: Rows = { body, table, options, keep: ordered.length <= MOST_KEPT }
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

/** What the rows of an object are made of, at any time. */
class Row {
  /** JSON, with open ages, and the conditions of the row. */
  readonly cells: string
  /** Where the metadata stands in the object's JSON; undefined: what is shown of it is in `partial`. */
  readonly metadata: Span | undefined
  readonly partial: string | undefined

  constructor(cells: string, metadata: Span | undefined, partial: string | undefined) {
    this.cells = cells
    this.metadata = metadata
    this.partial = partial
  }
}

/** Of a row that is kept, without its texts. */
const ROW_BYTES = 120
/** Of more rows none is kept: the first would be dropped before the last were made. */
const MOST_KEPT = Math.floor((0.75 * DERIVED_BYTES) / 350)

/** Where the rows of a Table go. */
interface Rows {
  readonly body: SplicedBody
  readonly table: TableDefinition
  readonly options: TableOptions
  /** What rows are made of is kept with their objects. */
  readonly keep: boolean
}

/** Adds a row after this text; gives what stands before the next one. */
function addRow({ body, table, options, keep }: Rows, before: string, item: RowSource): string {
  const row = item.json === undefined ? undefined : readyRow(table, item, keep)
  if (item.json === undefined || row === undefined) {
    body.add(before + tableRow(table, item.object(), options))
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

/** What a row is made of, which the object may keep. Undefined: its JSON has a mark of open ages of its own, so that none can be put in. */
function readyRow(table: TableDefinition, item: ReadySource, keep: boolean): Row | undefined {
  const noted = item.noted?.(table)
  // What is kept was looked at for marks of its own when it was made.
  if (noted instanceof Row) return noted
  const ready = item.json()
  if (ready.bytes.includes(AGE_MARK_BYTE)) return undefined
  const row = rowOf(table, item, ready)
  if (keep) item.note?.(table, row, ROW_BYTES + flatLength(row.cells) + flatLength(row.partial ?? ''))
  return row
}

/** Bytes of the text, which is one piece from then on: V8 keeps what was put together as a tree of its parts, at 32 bytes each, until all of it is read. */
const flatLength = (text: string): number => Buffer.byteLength(text)

/** From the object without its managers where the JSON shows where they are: parsing them would take longer than all cells. */
function rowOf(table: TableDefinition, item: ReadySource, ready: Encoded): Row {
  const struct = ready.header > 1
  const metadata = struct ? metadataOf(ready) : undefined
  const object = metadata ? withoutManagers(ready, metadata) : item.object()
  return new Row(cellsText(table.cells(object, ANY_TIME)) + conditionsText(table, object), metadata, metadata ? undefined : objectMetaText(object.metadata))
}

/** A Table of one row, as a watch event has it. */
export const tableEvent = (table: TableDefinition, object: KubeObject, options: TableOptions, columns: boolean): string =>
  `${tableHead(table, { ...(object.metadata.resourceVersion !== undefined && { resourceVersion: object.metadata.resourceVersion }) }, options, columns)}${tableRow(table, object, options)}]}`

/** The members before the rows. Watches send the columns once. */
function tableHead(table: TableDefinition, meta: ListMeta, options: TableOptions, columns: boolean): string {
  const definitions = table.columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format: format ?? '',
    description,
    priority: priority ?? 0,
  }))
  return `{"kind":"Table","apiVersion":"${options.group}/${options.version}","metadata":${listMetaText(meta)},"columnDefinitions":${columns ? escapeHtml(JSON.stringify(definitions)) : 'null'},"rows":[`
}

/** A row that is made for this answer alone. */
function tableRow(table: TableDefinition, object: KubeObject, options: TableOptions): string {
  return `{"cells":${cellsText(table.cells(object, options.now))}${conditionsText(table, object)},"object":${rowObject(object, options)}}`
}

/** What a row shows of its object; upstream's default is its metadata. */
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

/** As Go writes it: without the member where there is none. */
function conditionsText(table: TableDefinition, object: KubeObject): string {
  const conditions = table.conditions?.(object)
  return conditions ? `,"conditions":${JSON.stringify(conditions)}` : ''
}

const NONE = '<none>'
const ESCAPED_NONE = '\\u003cnone\\u003e'

/** JSON.stringify is much faster, and writes the same but for characters that Go escapes, where nothing is an object or an odd number. */
function cellsText(cells: Json[]): string {
  if (!cells.every(isPlain)) return goJson(cells)
  const text = JSON.stringify(cells)
  // Well-formed output escapes what is no character; the writer replaces it.
  if (text.includes('\\ud')) return goJson(cells)
  // What stands in many rows is not looked for character by character.
  return escapeHtml(text.replaceAll(NONE, ESCAPED_NONE))
}

const isPlain = (cell: Json): boolean =>
  typeof cell === 'string' || typeof cell === 'boolean' || cell === null || (Number.isSafeInteger(cell) && !Object.is(cell, -0))
