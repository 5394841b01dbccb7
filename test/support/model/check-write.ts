import type { AnyObject } from '../any-object.ts'
import { isAway } from './check-answer.ts'
import type { Circumstances, Payload, SeenCollectionDelete, SeenWrite } from './seen.ts'
import { selects } from './selection.ts'
import { contentOf, isWithin, keyOf, type StoreChange, type StoredVersion, type StoreHistory } from './store-history.ts'

/** The annotation that names the write which made a state. */
export const TOKEN = 'example.io/write'

export const payloadOf = ({ metadata, spec }: AnyObject): Payload => ({
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
  color: spec?.color ?? '',
})

const tokenOf = (version: StoredVersion | undefined): string | undefined => version?.object.metadata.annotations?.[TOKEN]

/** `unknown`: whether it was done is not told. */
type Fate = 'done' | 'refused' | 'unknown'

const fateOf = (status: number): Fate =>
  status === 200 || status === 201 ? 'done' : isAway({ status, body: {} as AnyObject }) ? 'unknown' : 'refused'

/** Returns the contradictions of responses to writes, and changes of our keys (`isOurs`) that no write explains. */
export function checkWrites(
  history: StoreHistory,
  writes: readonly (SeenWrite | SeenCollectionDelete)[],
  isOurs: (key: string) => boolean,
  around: Circumstances,
): string[] {
  const single = writes.filter(write => write.kind === 'write')
  const wrong: string[] = []
  const byToken = new Map<string, SeenWrite>()
  for (const write of single) if (write.token !== undefined) byToken.set(write.token, write)
  const claimed = new Map<StoreChange, SeenWrite>()
  for (const change of history.changes) {
    if (!isOurs(change.key) || change.after === undefined) continue
    const token = tokenOf(change.after)
    const write = token === undefined || token === tokenOf(change.before) ? undefined : byToken.get(token)
    const at = `${change.key} at ${change.revision}`
    if (write === undefined) {
      wrong.push(`${at}: a change that nobody asked for: ${change.after.content}`)
      continue
    }
    byToken.delete(write.token as string)
    claimed.set(change, write)
    wrong.push(...putFaults(change, write).map(fault => `${about(write)}: ${fault}`))
  }
  const deletions = history.changes.filter(({ key, after }) => isOurs(key) && after === undefined)
  const byAnswer = new Set<StoreChange>()
  for (const write of single) {
    const faults = answerFaults(history, write, claimed, deletions, byAnswer, around)
    wrong.push(...faults.map(fault => `${about(write)}: ${fault}`))
  }
  for (const deletion of deletions)
    if (!byAnswer.has(deletion) && !writes.some(write => mayHaveDeleted(write, deletion)))
      wrong.push(`${deletion.key} at ${deletion.revision}: a deletion that nobody asked for`)
  for (const write of writes) if (write.kind === 'deletecollection') wrong.push(...collectionFaults(history, write, around))
  return wrong
}

const about = ({ verb, key, token, guard, server, floor, ceiling, answer }: SeenWrite): string =>
  `${verb} ${key} ${token ?? ''} guard ${guard ?? '-'} of server ${server} (${floor}…${ceiling}), ${answer.status}`

/** Returns the faults of a change that a write made, whatever the response was. */
function putFaults({ key, revision, before, after }: StoreChange, write: SeenWrite): string[] {
  const faults: string[] = []
  if (write.key !== key) faults.push(`it changed ${key}`)
  if (fateOf(write.answer.status) === 'refused') faults.push(`it was refused, and done at ${revision}`)
  if (revision <= write.floor) faults.push(`done at ${revision}, before it was asked for`)
  if (fateOf(write.answer.status) === 'done' && revision > write.ceiling) faults.push(`done at ${revision}, after it was acknowledged`)
  if (write.guard !== undefined && before?.revision !== write.guard) faults.push(`it changed the state of ${before?.revision}`)
  const wanted = write.effect(before && payloadOf(before.object))
  const made = after && payloadOf(after.object)
  if (!isSame(wanted, made))
    faults.push(`of ${before?.content} it made ${after?.content} at ${revision} in place of ${JSON.stringify(wanted)}`)
  return faults
}

function answerFaults(
  history: StoreHistory,
  write: SeenWrite,
  claimed: ReadonlyMap<StoreChange, SeenWrite>,
  deletions: readonly StoreChange[],
  byAnswer: Set<StoreChange>,
  around: Circumstances,
): string[] {
  const { answer, verb, token, key } = write
  switch (fateOf(answer.status)) {
    case 'unknown':
      return around.trouble ? [] : [`no success, and nothing was wrong: ${answer.body.message}`]
    case 'refused':
      return refusalFaults(history, write)
    case 'done': {
      if (verb === 'delete') return deletionFaults(write, deletions, byAnswer)
      const told = Number(answer.body.metadata.resourceVersion)
      const version = history.at(key, told)
      if (version?.revision !== told) return [`acknowledged at ${told}, of which nothing is there`]
      const faults =
        version.content === contentOf(answer.body) ? [] : [`told ${contentOf(answer.body)} of ${told}, but it is ${version.content}`]
      if (token === undefined) return [...faults, ...unchangedFaults(history, write, told)]
      const change = history.changes.find(each => each.key === key && each.revision === told)
      if (change === undefined || claimed.get(change) !== write) faults.push(`acknowledged at ${told}, which it did not make`)
      if (verb === 'create' && answer.status !== 201) faults.push('a creation that is none')
      return faults
    }
  }
}

/** Returns the faults of a write without effect, which must not have changed anything. */
function unchangedFaults(history: StoreHistory, { key, guard, floor, ceiling }: SeenWrite, told: number): string[] {
  const { from, to } = history.interval(key, told)
  if (guard !== undefined && guard !== told) return [`unchanged at ${told}`]
  return from <= ceiling && to >= floor ? [] : [`unchanged at ${told}, the state of ${from}…${to}`]
}

function deletionFaults(
  { key, guard, uid, floor, ceiling, answer }: SeenWrite,
  deletions: readonly StoreChange[],
  byAnswer: Set<StoreChange>,
): string[] {
  const told = (answer.body.details as { uid?: string } | undefined)?.uid
  const deletion = deletions.find(({ before }) => before?.object.metadata.uid === told)
  if (deletion === undefined || deletion.key !== key) return [`acknowledged, but ${told} was never deleted`]
  const faults: string[] = []
  if (byAnswer.has(deletion)) faults.push(`the deletion at ${deletion.revision} was acknowledged twice`)
  byAnswer.add(deletion)
  if (deletion.revision <= floor || deletion.revision > ceiling) faults.push(`deleted at ${deletion.revision}`)
  if (guard !== undefined && deletion.before?.revision !== guard) faults.push(`it deleted the state of ${deletion.before?.revision}`)
  if (uid !== undefined && told !== uid) faults.push(`it deleted ${told} in place of ${uid}`)
  return faults
}

/** A refusal needs a state, in the time of the request, that explains it. */
function refusalFaults(history: StoreHistory, write: SeenWrite): string[] {
  const { answer, key, floor, ceiling, guard, uid, verb } = write
  const told = `${answer.body.reason}: ${answer.body.message}`
  const states = history.moments(floor, ceiling).map(moment => history.at(key, moment))
  const explained = (() => {
    if (answer.status === 404) return states.some(state => state === undefined)
    if (answer.status !== 409) return false
    if (answer.body.reason === 'AlreadyExists') return verb === 'create' && states.some(state => state !== undefined)
    if (guard === undefined && uid === undefined) return false
    return states.some(
      state =>
        state === undefined ||
        (guard !== undefined && state.revision !== guard) ||
        (uid !== undefined && state.object.metadata.uid !== uid),
    )
  })()
  return explained ? [] : [told]
}

function mayHaveDeleted(write: SeenWrite | SeenCollectionDelete, { key, revision, before }: StoreChange): boolean {
  const fate = fateOf(write.answer.status)
  if (revision <= write.floor || (fate !== 'unknown' && revision > write.ceiling)) return false
  if (write.kind === 'deletecollection') return isWithin(write.extent, key)
  if (write.verb !== 'delete' || write.key !== key || fate !== 'unknown') return false
  if (write.uid !== undefined && before?.object.metadata.uid !== write.uid) return false
  return write.guard === undefined || before?.revision === write.guard
}

function collectionFaults(
  history: StoreHistory,
  { extent, floor, ceiling, answer, server }: SeenCollectionDelete,
  around: Circumstances,
): string[] {
  const what = `deletecollection ${JSON.stringify(extent)} of server ${server} (${floor}…${ceiling}), ${answer.status}`
  switch (fateOf(answer.status)) {
    case 'unknown':
      return around.trouble ? [] : [`${what}: no success, and nothing was wrong: ${answer.body.message}`]
    case 'refused':
      // A page of it that is too old, or an object that is changed while it is deleted.
      return answer.status === 410 && around.compacted > 0 ? [] : [`${what}: ${answer.body.reason}: ${answer.body.message}`]
    case 'done': {
      const wrong: string[] = []
      const hi = Math.min(ceiling, history.revision)
      for (const item of (answer.body.items ?? []) as AnyObject[]) {
        const there = history.at(keyOf(item), hi)
        if (there?.object.metadata.uid === item.metadata.uid && there !== undefined) wrong.push(`${what}: ${keyOf(item)} is still there`)
        const version = history.at(keyOf(item), Number(item.metadata.resourceVersion))
        if (version?.content !== contentOf(item) || !selects(extent.selection, version))
          wrong.push(`${what}: it tells of ${contentOf(item)}`)
      }
      for (const { key, revision } of history.state(extent, floor))
        if (history.interval(key, revision).to > hi) wrong.push(`${what}: ${key} was there before and after`)
      return wrong
    }
  }
}

function isSame(wanted: Payload | 'absent' | undefined, made: Payload | undefined): boolean {
  if (wanted === undefined || wanted === 'absent' || made === undefined) return false
  return wanted.color === made.color && isSameMap(wanted.labels, made.labels) && isSameMap(wanted.annotations, made.annotations)
}

function isSameMap(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every(name => a[name] === b[name])
}
