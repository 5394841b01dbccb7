import type { CustomResourceColumnDefinition } from '../api/apiextensions/v1.types.ts'
import type { Json, KubeObject } from '../api/meta/object.ts'
import type { TableColumn, TableDefinition } from '../catalog/definition.ts'
import { goJson } from '../codec/json.ts'
import { goJsonInSteps } from '../codec/json-in-steps.ts'
import { MIN_INT64 } from '../lib/integer.ts'
import { isStepDone, runAtOnce, type Steps } from '../lib/steps.ts'
import { unlessThrown } from '../lib/unless-thrown.ts'
import { age } from '../meta/age.ts'
import { hasFewValues } from '../meta/few-values.ts'
import { timeMillis } from '../meta/time.ts'
import { nameColumn } from '../resources/shared/columns.ts'
import { firstValue, type JsonPath, JsonPathError, parseJsonPath } from './json-path.ts'

/** Column of definitions without columns. */
export const AGE: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
}

/**
 * Limits per row: values that columns visit, several times as many as an object contains, and UTF-16 units of output. A
 * definition can have very many columns, each of which prints the whole object. Cells beyond a limit are null, like
 * those of absent values.
 */
const MOST_LOOKS = 800_000
/** Limit on the values that one cell visits, in one call: `..a` looks twice at each of the 65,536 values of a body. */
const MOST_LOOKS_OF_CELL = 160_000
const MOST_TEXT = 4 * 1024 * 1024

/**
 * Table of a custom kind: name, and the columns of its definition or the age. Columns from the first with an invalid
 * path on are dropped. Each cell shows only the first value found.
 */
export const customTable = (columns: readonly CustomResourceColumnDefinition[] = []): TableDefinition =>
  runAtOnce(customTableInSteps(columns))

/** `customTable` in steps. A definition can have very many columns. */
export function* customTableInSteps(columns: readonly CustomResourceColumnDefinition[] = []): Steps<TableDefinition> {
  const printed: PrintedColumn[] = []
  for (const column of columns.length > 0 ? columns : [AGE]) {
    if (isStepDone()) yield
    const path = readable(column.jsonPath)
    if (!path) break
    printed.push({ column: columnOf(column), path })
  }
  return {
    columns: [nameColumn, ...printed.map(({ column }) => column)],
    cells(object, now) {
      const row = new Row(object, now)
      return [object.metadata.name ?? '', ...printed.map(({ column, path }) => row.print(column.type, row.find(path)))]
    },
    cellsInSteps: (object, now) => rowInSteps(printed, object, now),
  }
}

interface PrintedColumn {
  readonly column: TableColumn
  readonly path: JsonPath
}

/** Finds and prints the cells of one row, within the limits. */
class Row {
  readonly #object: KubeObject
  readonly #now: number
  #looksLeft = MOST_LOOKS
  #room = MOST_TEXT

  constructor(object: KubeObject, now: number) {
    this.#object = object
    this.#now = now
  }

  /** Number of values that columns may still visit. */
  get looksLeft(): number {
    return this.#looksLeft
  }

  find(path: JsonPath): Json | undefined {
    if (this.#room <= 0) return undefined
    const most = Math.min(this.#looksLeft, MOST_LOOKS_OF_CELL)
    const looks = { left: most }
    const value = firstValue(path, this.#object, looks)
    this.#looksLeft -= most - looks.left
    return value
  }

  print(type: TableColumn['type'], value: Json | undefined): Json {
    const printed = cell(type, value, this.#now)
    if (typeof printed === 'string') this.#room -= printed.length
    return printed
  }
}

/** Number of values that columns visit in one step. */
const LOOKS_AT_ONCE = 4096

function* rowInSteps(printed: readonly PrintedColumn[], object: KubeObject, now: number): Steps<Json[]> {
  const row = new Row(object, now)
  const cells: Json[] = [object.metadata.name ?? '']
  let looksAtYield = row.looksLeft
  for (const { column, path } of printed) {
    const value = row.find(path)
    const isLarge = column.type === 'string' && value !== undefined && !hasFewValues(value)
    cells.push(row.print(column.type, isLarge ? (yield* goJsonInSteps(value)).join('') : value))
    if (isStepDone() || looksAtYield - row.looksLeft > LOOKS_AT_ONCE) {
      looksAtYield = row.looksLeft
      yield
    }
  }
  return cells
}

/** Parses a path. Undefined if it is malformed. */
const readable = (jsonPath: string): JsonPath | undefined => unlessThrown(JsonPathError, () => parseJsonPath(jsonPath))

const TYPES: readonly string[] = ['string', 'integer', 'number', 'boolean', 'date'] satisfies TableColumn['type'][]
const isColumnType = (type: string): type is TableColumn['type'] => TYPES.includes(type)

/** Converts a column. Validation rejects unknown types. */
const columnOf = ({ name, type, format, description, priority, jsonPath }: CustomResourceColumnDefinition): TableColumn => ({
  name,
  type: isColumnType(type) ? type : 'string',
  ...(format !== undefined && { format }),
  description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  ...(priority !== undefined && { priority }),
})

/** Formats a value for a column. */
function cell(type: TableColumn['type'], value: Json | undefined, now: number): Json {
  if (value === undefined) return null
  switch (type) {
    case 'string':
      return cellText(value)
    case 'integer':
      return typeof value === 'number' ? int64Of(value) : typeof value === 'bigint' ? value : null
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? ageOf(value, now) : null
  }
}

/** Converts a float to int64 as amd64 does: values out of range become the minimum. */
const int64Of = (value: number): number | bigint => (Math.abs(value) < 2 ** 63 ? Math.trunc(value) : MIN_INT64)

/** Formats lists and objects as JSON, and null as Go prints it. */
function cellText(value: Json): Json {
  if (value === null) return '<no value>'
  if (typeof value === 'string') return value
  return typeof value === 'object' ? goJson(value) : String(value)
}

/** Formats an age. A malformed time becomes `<invalid>`. */
function ageOf(text: string, now: number): string {
  if (text === '' || text === 'null') return age(undefined, now)
  return timeMillis(text) === undefined ? '<invalid>' : age(text, now)
}
