import type { FaultSpec } from '../faults/fault-spec.ts'
import { describedEvent, type Entry, isWrite, type RequestEntry } from './recording.ts'

/** Maximum number of lines of a story. Lines far from a perturbation are left out first. */
const MOST_LINES = 60
const NEAR = 6

const VERBS: Readonly<Record<string, string>> = {
  get: 'reads',
  list: 'lists',
  watch: 'watches',
  create: 'creates',
  update: 'updates',
  patch: 'patches',
  delete: 'deletes',
  deletecollection: 'deletes all',
}

/** Tells what happened in a run, one line for each request, event and perturbation. */
export function story(entries: readonly Entry[]): string[] {
  const lines = entries.map(entry => ({
    text: storyLine(entry),
    isNear: entry.kind === 'note' || (entry.kind === 'request' && entry.faults.length > 0),
  }))
  if (lines.length <= MOST_LINES) return lines.map(({ text }) => text)
  const near = lines.map((_, index) => lines.slice(Math.max(0, index - NEAR), index + NEAR + 1).some(({ isNear }) => isNear))
  const told: string[] = []
  let left = 0
  for (const [index, { text }] of lines.entries()) {
    const entry = entries[index]
    const isKept = near[index] === true || (entry?.kind === 'request' && isWrite(entry)) || index >= lines.length - NEAR
    if (!isKept) left++
    if (!isKept) continue
    if (left > 0) told.push(`(${left} more requests and events)`)
    left = 0
    told.push(text)
  }
  return told
}

function storyLine(entry: Entry): string {
  if (entry.kind === 'note') return entry.text
  if (entry.kind === 'event') return `the controller receives ${entry.resource} ${describedEvent(entry)}`
  const { isController, verb, status, revision } = entry
  const faults = entry.faults.map(fault => faultText(fault, entry)).filter(text => text !== '')
  const result = faults.length > 0 ? `: ${faults.join(', and ')}` : status !== undefined && status >= 400 ? `, and gets ${status}` : ''
  return `${isController ? 'the controller' : 'the test'} ${VERBS[verb] ?? verb} ${target(entry)} at ${revision}${result}`
}

const target = ({ resource, namespace, name }: RequestEntry): string => {
  const place = [namespace, name].filter(text => text !== '').join('/')
  return place === '' ? resource : name === '' ? `${resource} in ${place}` : `${resource} ${place}`
}

function faultText(fault: FaultSpec, { verb }: RequestEntry): string {
  if (fault.status !== undefined) return `it gets ${fault.status.code} instead`
  if (fault.cut === 'BeforeCommit') return 'the connection breaks before the server executes it'
  if (fault.cut === 'AfterCommit') return 'the server executes it, but the connection breaks before the response'
  if (fault.writer === 'Changes') return 'another client changes the object right before'
  if (fault.writer === 'DeletesAtRest') return 'another client deletes the object when nothing else happens'
  if (fault.writer === 'Deletes') return 'another client deletes the object right before'
  if (fault.restart === 'BeforeCommit') return 'the controller is restarted before the server executes it'
  if (fault.restart === 'AfterCommit') return 'the server executes it, and the controller is restarted'
  if (fault.restart === 'AtRest') return 'the controller is restarted when it is at rest'
  if (fault.behindChanges !== undefined && verb === 'list')
    return `the list is ${fault.behindChanges} ${fault.behindChanges === 1 ? 'change' : 'changes'} behind`
  if (fault.hold !== undefined) return 'it waits until nothing else happens'
  return fault.watch?.withholdBookmarks === true ? 'bookmarks are withheld' : ''
}
