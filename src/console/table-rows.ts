import type { Json, ObjectMeta } from './objects.ts'

/** Column definition of a server-side Table (meta.k8s.io/v1). */
export interface Column {
  readonly name: string
  /** OpenAPI type: `string`, `integer` or `number`. */
  readonly type: string
  readonly description: string
  /** Priority of the Table API. Columns above 0 are hidden by default. */
  readonly priority: number
}

/** Row of a server-side Table, with the object's metadata. */
export interface Row {
  /** Values in the order of the columns. */
  readonly cells: readonly Json[]
  readonly object: { readonly metadata: ObjectMeta }
}

/** Sort order of the rows. */
export interface Sorting {
  /** Index of the column, or -1 for the namespace. */
  readonly at: number
  /** Column to sort by. Its name decides how its cells compare: ages are compared by creation time. */
  readonly column: Pick<Column, 'name'>
  /** Whether the order is descending. */
  readonly isDown: boolean
}

/**
 * Returns the rows that contain all words of the text in cells or labels. Without a sort order, they are in the
 * server's order.
 */
export function chosenRows(rows: ReadonlyMap<string, Row>, text: string, sorting: Sorting | undefined): (readonly [string, Row])[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const chosen = words.length === 0 ? [...rows] : [...rows].filter(([, row]) => hasWords(row, words))
  const sign = sorting?.isDown ? -1 : 1
  return sorting === undefined
    ? chosen.sort(([a], [b]) => compareCells(a, b))
    : chosen.sort(([, a], [, b]) => sign * compareCells(sortedBy(a, sorting), sortedBy(b, sorting)))
}

/** Limit for the characters of a cell that are searched. */
const MOST_LOOKED = 10_000

/** Every word must occur in some text, but different words may occur in different ones. */
function hasWords({ cells, object: { metadata } }: Row, words: readonly string[]): boolean {
  const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`)
  const texts = [metadata.namespace ?? '', ...labels, ...cells.map(String)].map(text => text.slice(0, MOST_LOOKED).toLowerCase())
  return words.every(word => texts.some(text => text.includes(word)))
}

/** Returns the value that represents a row in the order. */
function sortedBy({ cells, object: { metadata } }: Row, { at, column }: Sorting): string | number {
  if (at < 0) return metadata.namespace ?? ''
  // A younger object has a lower age.
  if (column.name === 'Age') return -Date.parse(metadata.creationTimestamp ?? '')
  const cell = cells[at]
  return typeof cell === 'number' ? cell : String(cell ?? '')
}

/** Compares numbers as such, and anything else as text in code units. */
function compareCells(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [String(a), String(b)]
  return left < right ? -1 : left > right ? 1 : 0
}
