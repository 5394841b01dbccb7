import { compareNames } from '../lib/compare-text.ts'
import { formatDuration } from '../lib/duration.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import { formatMicroTime, trimFraction } from '../meta/time.ts'
import type { FlowControl } from './flow-control.ts'
import type { PriorityLevel } from './priority-level.ts'
import type { Queue, SeatRequest } from './queued-requests.ts'
import { formatSeatSeconds } from './seat-seconds.ts'

/** Prints the current state in the tables of kube-apiserver's debugging endpoints (apf_controller_debug.go). */

/** Maximum rows for idle queues of a level. */
const MOST_IDLE_QUEUES = 1024
const GO_ZERO_TIME = '0001-01-01T00:00:00Z'

/** Prints a row for each priority level: waiting and executing requests, and counters. */
export function dumpPriorityLevels({ levels }: FlowControl): string {
  const headers = [
    ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests'],
    ...['ExecutingRequests', 'DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'],
  ]
  const rows = [...levels.values()].toSorted(compareNames).map(({ name, queues, quiescing }) => {
    const { waiting, executing, isIdle, tally } = queues
    const active = [...queues.queues.values()].filter(queue => queue.waiting.length > 0).length
    return [name, active, isIdle, quiescing, waiting, executing, tally.dispatched, tally.rejected, tally.timedOut, tally.cancelled]
  })
  return tableOf([headers, ...rows])
}

/** Prints a row for each queue of the levels with queues. */
export function dumpQueues({ levels }: FlowControl): string {
  const headers = [
    ...['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse'],
    ...['NextDispatchR', 'InitialSeatsSum', 'MaxSeatsSum', 'TotalWorkSum'],
  ]
  return tableOf([headers, ...[...levels.values()].flatMap(level => queueRows(level))])
}

function queueRows({ name, discipline, queues: { queues } }: PriorityLevel): Cell[][] {
  const all = typeof discipline === 'object' ? discipline.queues : 0
  const idle = Array.from({ length: all <= MOST_IDLE_QUEUES ? all : 0 }, (_, index) => index)
  const indexes = [...new Set([...idle, ...queues.keys()])].toSorted((a, b) => a - b)
  return indexes.map(index => [name, index, ...queueCells(queues.get(index))])
}

const queueCells = (queue: Queue | undefined): Cell[] => [
  queue?.waiting.length ?? 0,
  queue?.executing.length ?? 0,
  queue?.seatsInUse ?? 0,
  formatSeatSeconds(queue?.nextDispatchR ?? 0),
  queue?.initialSeatsWaiting ?? 0,
  queue?.maxSeatsWaiting ?? 0,
  formatSeatSeconds(queue?.workWaiting ?? 0),
]

/** Options of `dumpRequests`. */
export interface RequestDump {
  /** Whether user and operation are included. */
  readonly details: boolean
  /** Time of the flow clock's zero, in milliseconds since the epoch. */
  readonly epoch: number
}

/** Prints a row for each waiting request, in the order of its queue, and for each executing one. */
export function dumpRequests({ levels }: FlowControl, { details, epoch }: RequestDump): string {
  const headers = [
    ...['PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue', 'FlowDistingsher'],
    ...['ArriveTime', 'InitialSeats', 'FinalSeats', 'AdditionalLatency', 'StartTime'],
    ...(details ? ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'] : []),
  ]
  const rows: Cell[][] = []
  const add = (request: SeatRequest, queue: number, place: number): void => {
    const { flow, distinguisher } = request.arrival
    rows.push([
      flow.level,
      flow.schema,
      queue,
      place,
      distinguisher,
      ...timeCells(request, epoch),
      ...(details ? detailCells(request) : []),
    ])
  }
  for (const { queues } of levels.values()) {
    for (const queue of [...queues.queues.values()].toSorted((a, b) => a.index - b.index)) {
      let place = 0
      for (const request of queue.waiting) add(request, queue.index, place++)
      for (const request of queue.executing) add(request, queue.index, -1)
    }
    for (const request of queues.unqueued) add(request, -1, -1)
  }
  return tableOf([headers, ...rows])
}

const timeCells = ({ arrivedAt, startedAt, initialSeats, finalSeats, additionalLatencyMs }: SeatRequest, epoch: number): Cell[] => [
  nanoTime(epoch + arrivedAt),
  initialSeats,
  finalSeats,
  formatDuration(BigInt(Math.round(additionalLatencyMs * 1e6))),
  startedAt === undefined ? GO_ZERO_TIME : nanoTime(epoch + startedAt),
]

/** Formats a time as Go's time.RFC3339Nano, without trailing zeros. */
const nanoTime = (millis: number): string => trimFraction(formatMicroTime(millis))

function detailCells({ arrival: { details } }: SeatRequest): Cell[] {
  const { user, info } = details
  return [user.name, info.verb, info.path, info.namespace, info.name, apiVersionOf(info), info.resource, info.subresource]
}

type Cell = string | number | boolean

/** Aligns columns as Go's text/tabwriter with a minimum width of 8 and a padding of 1. Cells end in a comma. */
function tableOf(rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map(row => row.map((cell, i) => (i < row.length - 1 ? `${cell},` : String(cell))))
  const widths: number[] = []
  for (const row of texts) for (const [i, text] of row.entries()) widths[i] = Math.max(widths[i] ?? 8, text.length + 1)
  return texts.map(row => `${row.map((text, i) => (i < row.length - 1 ? text.padEnd(widths[i] ?? 0) : text)).join('')}\n`).join('')
}
