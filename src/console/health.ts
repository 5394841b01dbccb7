import { isRecord, type Json } from './objects.ts'
import type { Column, Row } from './table-rows.ts'

/** Words in the column Status that say that something is wrong, as kubectl prints them of pods, nodes, volumes and namespaces. */
const WRONG = ['Error', 'BackOff', 'Failed', 'Lost', 'OOMKilled', 'Evicted', 'NotReady', 'Unknown', 'DeadlineExceeded']

/** Whether the cells of a row say that its object is not well: fewer are ready than wanted, a status that names a failure, or `False` where `True` is good. */
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

/** `0/2`: of so many. */
function isLess(text: string): boolean {
  const [, ready, wanted] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? []
  return ready !== undefined && Number(ready) < Number(wanted)
}

/** A condition of an object. */
export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value.slice(0, 300) : '')
const MOST = 50

/** `status.conditions` of an object of any kind. */
export function conditionsOf(object: Json): readonly Condition[] {
  const status = isRecord(object) ? object.status : undefined
  const conditions = isRecord(status) && Array.isArray(status.conditions) ? status.conditions : []
  return conditions
    .slice(0, MOST)
    .filter(isRecord)
    .map(({ type, status: state, reason, message }) => ({ type: textIn(type), status: textIn(state), reason: textIn(reason), message: textIn(message) }))
}
