import { placeVersions, withPlaceholders } from './placeholders.ts'
import type { Comparing, Row } from './probe-case.ts'
import { at, mapLists, sortedBy, type Tree, type TreeObject } from './tree.ts'

/** Makes the rows of two runs of one case comparable. */
export function normalise(rows: readonly Row[], vars: Readonly<Record<string, string>>, comparing: Comparing): Row[] {
  const placed = comparing.versions === 'saved' ? placeVersions(rows, vars) : [...rows]
  const aged = mapLists(withSortedManagers(placed), 'cells', cells => cells.map(young)) as Row[]
  const errors = aged.map(row => sortErrors(row, comparing.sortCauses ?? false))
  return withPlaceholders(mapLists(errors, 'causes', sortConflicts), vars) as Row[]
}

/** How many seconds an object is old when a busy machine prints it says nothing. */
const young = (cell: Tree): Tree => (typeof cell === 'string' && /^[12]?\ds$/.test(cell) ? '0s' : cell)

/** kube-apiserver names the managers of an apply conflict in random order. */
const sortConflicts = (causes: readonly Tree[]): Tree[] =>
  causes.every(cause => at(cause, 'reason') === 'FieldManagerConflict')
    ? sortedBy(causes, cause => `${at(cause, 'message')}${at(cause, 'field')}`)
    : [...causes]

/** In an order that does not depend on the clock: entries of one operation are ordered by their second. */
export const withSortedManagers = (rows: readonly Row[]): Row[] => mapLists([...rows], 'managedFields', sortManagers) as Row[]

const sortManagers = (entries: readonly Tree[]): Tree[] =>
  sortedBy(
    entries,
    entry => `${at(entry, 'operation')} ${at(entry, 'manager')} ${at(entry, 'subresource') ?? ''} ${at(entry, 'apiVersion')}`,
  )

/**
 * kube-apiserver validates the members of a custom resource in random order: such causes are compared as a set, and the
 * message only up to them.
 */
function sortErrors(row: Row, always: boolean): Row {
  const causes = at(row, 'body.details.causes')
  if (!Array.isArray(causes) || causes.length < 2) return row
  if (!always && !causes.some(cause => / in body /.test(String(at(cause, 'message'))))) return row
  const body = row.body as TreeObject
  const message = String(body.message)
  const sorted = sortedBy(causes, cause => JSON.stringify(cause))
  return {
    ...row,
    body: {
      ...body,
      message: message.slice(0, message.indexOf(' is invalid') + 11),
      details: { ...(body.details as TreeObject), causes: sorted },
    },
  }
}
