import { isAway, isTooLarge, possible, wantedRevision } from './check-answer.ts'
import { isMetadataOnly } from './form.ts'
import type { Circumstances, SeenEvent, SeenWatch } from './seen.ts'
import { contentOf, keyOf, type StoreHistory, shown } from './store-history.ts'

const INITIAL_END = 'k8s.io/initial-events-end'

/** Returns the contradictions of one stream of a watch. */
export function checkWatch(history: StoreHistory, seen: SeenWatch, around: Circumstances): string[] {
  const what = `watch ${JSON.stringify(seen.extent)} ${JSON.stringify(seen.start)} of server ${seen.server} (${seen.floor}…${seen.ceiling})`
  const told = (faults: readonly string[]): string[] => faults.map(fault => `${what}: ${fault}`)
  const { refusal, start } = seen
  if (refusal !== undefined) return told(refusalFaults(seen, around))
  if ('after' in start) return told(follow(history, seen, around, 0, start.after))
  const { lo, hi } = possible(start.initial, seen)
  const end = seen.events.findIndex(isInitialEnd)
  if (end >= 0) {
    if (!start.endsWithBookmark) return told(['a bookmark ends the initial events, which was not asked for'])
    const base = revisionOf(seen.events[end] as SeenEvent)
    const ceiling = Math.min(hi, (seen.events[end] as SeenEvent).ceiling)
    if (!(base >= lo && base <= ceiling)) return told([`it begins with the state of ${base}, which is not of ${lo}…${ceiling}`])
    return told([...initialFaults(history, seen, end, base, true), ...follow(history, seen, around, end + 1, base)])
  }
  // Which state it begins with is not told: there has to be one that explains all.
  let best: string[] | undefined
  for (const base of history.moments(lo, Math.min(hi, history.revision))) {
    const size = history.state(seen.extent, base).length
    const whole = start.endsWithBookmark ? seen.events.length : Math.min(size, seen.events.length)
    const initial = seen.events.findIndex((event, i) => i < whole && (event.type !== 'ADDED' || revisionOf(event) > base))
    const length = initial < 0 ? whole : initial
    const complete = length === size && !start.endsWithBookmark
    const faults = [...initialFaults(history, seen, length, base, complete), ...follow(history, seen, around, length, base, !complete)]
    if (faults.length === 0) return []
    if (best === undefined || faults.length <= best.length) best = [`as of ${base}: `, ...faults]
  }
  return told(best ?? [`no state of ${lo}…${hi} is there to begin with`])
}

/** The first `length` events are the state at the revision, or some of it. */
function initialFaults(history: StoreHistory, seen: SeenWatch, length: number, revision: number, complete: boolean): string[] {
  const faults: string[] = []
  const state = new Map(history.state(seen.extent, revision).map(version => [version.key, version]))
  for (const event of seen.events.slice(0, length)) {
    const key = keyOf(event.object)
    const version = state.get(key)
    state.delete(key)
    if (event.type !== 'ADDED') faults.push(`${event.type} ${key} among the initial events`)
    else if (version === undefined) faults.push(`initial ${key} of ${revisionOf(event)} is not there at ${revision}, or doubled`)
    else if (version.revision !== revisionOf(event) || shown(version, isMetadataOnly(seen.form)) !== contentOf(event.object))
      faults.push(
        `initial ${key} of ${revisionOf(event)}: ${contentOf(event.object)}, but at ${revision} it is of ${version.revision}: ${version.content}`,
      )
  }
  if (complete) for (const key of state.keys()) faults.push(`initial ${key} at ${revision} is missing`)
  return faults
}

/**
 * The events from `first` on are what follows the revision. `early`: the initial events may not have been given yet.
 */
function follow(history: StoreHistory, seen: SeenWatch, around: Circumstances, first: number, after: number, early = false): string[] {
  const expected = history.eventsAfter(seen.extent, after)
  let next = 0
  let promised = after
  for (const [i, event] of seen.events.entries()) {
    if (i < first) continue
    const revision = revisionOf(event)
    if (event.type === 'ERROR') {
      if (i !== seen.events.length - 1) return ['events after an ERROR']
      return errorFaults(event, promised, seen, around)
    }
    if (event.type === 'BOOKMARK') {
      if (!seen.bookmarks || isInitialEnd(event)) return [`a bookmark at ${revision} that was not asked for`]
      if (revision < promised) return [`a bookmark at ${revision} after ${promised}`]
      if (revision > event.ceiling && revision > after) return [`a bookmark at ${revision} when the store was at ${event.ceiling}`]
      const due = expected[next]
      if (due !== undefined && due.revision <= revision)
        return [`a bookmark at ${revision}, but ${due.type} ${due.key} at ${due.revision} has not come`]
      promised = revision
      continue
    }
    const key = keyOf(event.object)
    const due = expected[next++]
    if (due === undefined) return [`${event.type} ${key} at ${revision}, but nothing more is due after ${promised}`]
    if (event.type !== due.type || key !== due.key || revision !== due.revision)
      return [`${event.type} ${key} at ${revision} came in place of ${due.type} ${due.key} at ${due.revision}`]
    const content = contentOf(event.object)
    const right = shown(due.version, isMetadataOnly(seen.form))
    if (content !== right) return [`${event.type} ${key} at ${revision} has ${content} in place of ${right}`]
    promised = revision
  }
  const due = expected[next]
  if (seen.end === 'open' && due !== undefined) return [`${due.type} ${due.key} at ${due.revision} never came; the last was of ${promised}`]
  if (seen.end === 'open' && early) return ['the initial events never ended']
  if (seen.end === 'server' && !seen.mayEnd && !around.trouble) return [`the server ended it after ${promised}, and nothing was wrong`]
  return []
}

/** Lost changes end a watch, where something was wrong; a start that is compacted does at any time. */
function errorFaults({ object }: SeenEvent, promised: number, seen: SeenWatch, { trouble, compacted }: Circumstances): string[] {
  const { code = 0 } = object
  if (code === 410 && (trouble || promised < compacted)) return []
  if (isTooLarge({ status: code, body: object }) && askedOf(seen) > seen.floor) return []
  if (isAway({ status: code, body: object }) && trouble) return []
  return [`ERROR ${code} ${object.reason}: ${object.message} after ${promised}`]
}

function refusalFaults(seen: SeenWatch, { trouble, compacted }: Circumstances): string[] {
  const { start, refusal } = seen as SeenWatch & { refusal: NonNullable<SeenWatch['refusal']> }
  const { status, body } = refusal
  const asked = askedOf(seen)
  if (isTooLarge(refusal) && (trouble || asked > seen.floor)) return []
  if (isAway(refusal) && (trouble || seen.mayEnd)) return []
  if (status === 410 && asked < compacted && 'after' in start) return []
  return [`refused with ${status} ${body.reason}: ${body.message}`]
}

const askedOf = ({ start }: SeenWatch): number => ('after' in start ? start.after : (wantedRevision(start.initial) ?? 0))

const revisionOf = ({ object }: SeenEvent): number => Number(object.metadata?.resourceVersion ?? 0)

const isInitialEnd = ({ type, object }: SeenEvent): boolean => type === 'BOOKMARK' && object.metadata.annotations?.[INITIAL_END] === 'true'
