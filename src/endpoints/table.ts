import type { TableDefinition } from '../catalog/definition.ts'
import { escapeHtml, goJson } from '../codec/json.ts'
import { mapInSlices } from '../lib/slices.ts'
import type { KubeObject, ListMeta } from '../meta/object.ts'
import { listMetaText, objectMetaText } from './meta-json.ts'

/** What a row carries beside its cells (TableOptions.includeObject). */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

export interface TableOptions {
  readonly includeObject: IncludeObject
  /** `v1` or `v1beta1`. */
  readonly version: string
  /** The media type's own spelling of the group. */
  readonly group: string
  readonly now: number
}

/** Rows of one buffer. */
const ROWS_AT_ONCE = 20

/** Name and Created At: the columns of a kind that has none of its own. */
export const DEFAULT_TABLE: TableDefinition = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'The name of the object, unique among those of its kind in its namespace.' },
    { name: 'Created At', type: 'date', description: 'When the object was created, in RFC 3339 and UTC.' },
  ],
  cells: object => [object.metadata.name ?? '', object.metadata.creationTimestamp ?? ''],
}

/** meta.k8s.io Table of the objects, in pieces. `watching`: columns are told only where `first`. */
export async function renderTable(
  table: TableDefinition,
  meta: ListMeta,
  objects: readonly { object(): KubeObject }[],
  options: TableOptions,
): Promise<Buffer[]> {
  const parts: Buffer[] = [Buffer.from(tableHead(table, meta, options, true))]
  const { order } = table
  const ordered = order ? [...objects].sort((a, b) => order(a.object(), b.object())) : objects
  const groups: (typeof objects)[] = []
  for (let i = 0; i < ordered.length; i += ROWS_AT_ONCE) groups.push(ordered.slice(i, i + ROWS_AT_ONCE))
  let separator = ''
  const rows = await mapInSlices(
    groups,
    group => {
      const text = separator + group.map(item => tableRow(table, item.object(), options)).join(',')
      separator = ','
      return Buffer.from(text)
    },
    1,
  )
  for (const row of rows) parts.push(row)
  parts.push(Buffer.from(']}\n'))
  return parts
}

/** A Table of one row, as a watch event has it. */
export const tableEvent = (table: TableDefinition, object: KubeObject, options: TableOptions, columns: boolean): string =>
  `${tableHead(table, { ...(object.metadata.resourceVersion !== undefined && { resourceVersion: object.metadata.resourceVersion }) }, options, columns)}${tableRow(table, object, options)}]}`

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

function tableRow(table: TableDefinition, object: KubeObject, options: TableOptions): string {
  const cells = goJson(table.cells(object, options.now))
  return `{"cells":${cells},"object":${rowObject(object, options)}}`
}

function rowObject(object: KubeObject, options: TableOptions): string {
  switch (options.includeObject) {
    case 'None':
      return 'null'
    case 'Object':
      return escapeHtml(JSON.stringify(object))
    case 'Metadata':
      return partialMetadata(object, `${options.group}/${options.version}`)
  }
}

/** PartialObjectMetadata of an object. */
export const partialMetadata = (object: KubeObject, apiVersion: string): string =>
  `{"kind":"PartialObjectMetadata","apiVersion":"${apiVersion}","metadata":${objectMetaText(object.metadata)}}`
