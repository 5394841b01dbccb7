import { isRecord, type Json } from './objects.ts'
import type { Column, Row } from './table-rows.ts'

/** Parts of a Status cell that indicate a problem, as kubectl prints them for pods, nodes, volumes and namespaces. */
const WRONG = ['Error', 'BackOff', 'Failed', 'Lost', 'OOMKilled', 'Evicted', 'NotReady', 'Unknown', 'DeadlineExceeded']

/**
 * Reports whether the cells of a row indicate a problem: fewer replicas ready than wanted, a status of a failure, or
 * `False` in a column whose good value is `True`.
 */
export function isUnhealthy(columns: readonly Pick<Column, 'name'>[], { cells }: Pick<Row, 'cells'>): boolean {
  return columns.some(({ name }, i) => {
    const text = String(cells[i] ?? '')
    switch (name) {
      case 'Ready':
        return isLess(text) || text === 'False'
      case 'Status':
        return WRONG.some(word => text.endsWith(word) || text.startsWith(`${word},`))
      case 'Available':
      case 'Established':
        return text.startsWith('False')
      default:
        return false
    }
  })
}

/** Reports whether a text such as `0/2` has fewer than all. */
function isLess(text: string): boolean {
  const [, ready, wanted] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? []
  return ready !== undefined && Number(ready) < Number(wanted)
}

/** A condition of an object. */
export interface ObjectCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value.slice(0, 300) : '')
const MOST = 50

/** Returns the `status.conditions` of an object of any kind. */
export function conditionsOf(object: Json): readonly ObjectCondition[] {
  const status = isRecord(object) ? object.status : undefined
  const conditions = isRecord(status) && Array.isArray(status.conditions) ? status.conditions : []
  return conditions
    .slice(0, MOST)
    .filter(isRecord)
    .map(({ type, status: state, reason, message }) => ({
      type: textIn(type),
      status: textIn(state),
      reason: textIn(reason),
      message: textIn(message),
    }))
}
