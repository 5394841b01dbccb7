import { isUnhealthy } from './health.ts'
import type { Column, Row } from './table-rows.ts'

/** Statuses of pods that a kubelet has rejected begin with it: `OutOfcpu`. */
const REJECTED = 'OutOf'

/** State of a pod as its Table shows it. */
export type PodState = 'ready' | 'starting' | 'failed' | 'done'

/** A pod as a mark of one colour. */
export interface PodMark {
  readonly key: string
  readonly namespace: string
  readonly name: string
  readonly state: PodState
  /** Status and ready containers: `Running 1/1`. */
  readonly text: string
}

type Columns = readonly Pick<Column, 'name'>[]

/** Returns the cell of a row in the column of a name. Empty if there is none. */
export function cellOf(columns: Columns, { cells }: Pick<Row, 'cells'>, name: string): string {
  const at = columns.findIndex(column => column.name === name)
  const cell = at < 0 ? undefined : cells[at]
  return cell === undefined || cell === null ? '' : String(cell).slice(0, 300)
}

function podState(columns: Columns, row: Pick<Row, 'cells'>): PodState {
  const status = cellOf(columns, row, 'Status')
  if (status === 'Completed' || status === 'Succeeded') return 'done'
  const ready = cellOf(columns, row, 'Ready')
  if (status === 'Running' && !isUnhealthy([{ name: 'Ready' }], { cells: [ready] })) return 'ready'
  return status.startsWith(REJECTED) || isUnhealthy([{ name: 'Status' }], { cells: [status] }) ? 'failed' : 'starting'
}

/**
 * Groups the pods of a Table, each group in the order of namespaces and names.
 * @param groupOf returns the name of a pod's group. Undefined for pods that are left out
 */
export function podGroups(
  columns: Columns,
  rows: ReadonlyMap<string, Row>,
  groupOf: (row: Row) => string | undefined,
): Map<string, PodMark[]> {
  const groups = new Map<string, PodMark[]>()
  for (const [key, row] of rows) {
    const group = groupOf(row)
    if (group === undefined) continue
    const { name, namespace = '' } = row.object.metadata
    const text = `${cellOf(columns, row, 'Status')} ${cellOf(columns, row, 'Ready')}`.trim()
    const mark = { key, namespace, name, state: podState(columns, row), text }
    const marks = groups.get(group)
    if (marks) marks.push(mark)
    else groups.set(group, [mark])
  }
  for (const marks of groups.values()) marks.sort((a, b) => (a.key < b.key ? -1 : 1))
  return groups
}

/** Value of the column Node for a pod without one. */
const NO_NODE = '<none>'

/** Groups pods by their node. The group of pods without a node is empty. */
export const podsByNode = (columns: Columns, rows: ReadonlyMap<string, Row>): Map<string, PodMark[]> =>
  podGroups(columns, rows, row => {
    const node = cellOf(columns, row, 'Node')
    return node === NO_NODE ? '' : node
  })

/** Groups pods by the uid of the object that controls them. */
export const podsByController = (columns: Columns, rows: ReadonlyMap<string, Row>): Map<string, PodMark[]> =>
  podGroups(columns, rows, ({ object }) => object.metadata.ownerReferences?.find(({ controller }) => controller)?.uid)

/** A ReplicaSet of a Deployment. */
export interface Revision {
  readonly key: string
  readonly uid: string
  readonly name: string
  readonly desired: string
  readonly ready: string
}

/** Returns the ReplicaSets that an object controls, the newest first. */
export function revisionsOf(columns: Columns, rows: ReadonlyMap<string, Row>, owner: string): Revision[] {
  const owned = [...rows].filter(([, { object }]) =>
    object.metadata.ownerReferences?.some(({ uid, controller }) => controller && uid === owner),
  )
  const created = ({ object }: Row): number => Date.parse(object.metadata.creationTimestamp ?? '') || 0
  owned.sort(([a, rowA], [b, rowB]) => created(rowB) - created(rowA) || (a < b ? -1 : 1))
  return owned.map(([key, row]) => ({
    key,
    uid: row.object.metadata.uid ?? '',
    name: row.object.metadata.name,
    desired: cellOf(columns, row, 'Desired') || '0',
    ready: cellOf(columns, row, 'Ready') || '0',
  }))
}
