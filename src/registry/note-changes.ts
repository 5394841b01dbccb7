import type { Json } from '../api/meta/object.ts'
import type { RequestNotes } from '../meta/request-notes.ts'
import type { WhyChange, WhyChanges } from '../meta/why.ts'
import type { GatedField } from '../schema/gated-fields.ts'

/** Records the fields that were cleared because their feature gate is off, one note for each gate. */
export function noteTurnedOff(why: RequestNotes, changes: WhyChanges, off: readonly GatedField[]): void {
  if (changes === 'too large') return
  const byGate = new Map<string, string[]>()
  for (const { path } of changes) {
    const gate = off.find(field => isAt(field, path))?.gate ?? ''
    byGate.set(gate, [...(byGate.get(gate) ?? []), path])
  }
  for (const [gate, fields] of byGate) why.note({ step: 'dropped', because: 'feature gate', fields, ...(gate !== '' && { gate }) })
}

/**
 * Whether a JSON pointer names a gated field, or a parent that was removed because it became empty. Indexes of lists
 * and keys of maps in the pointer are skipped.
 */
function isAt({ path }: GatedField, pointer: string): boolean {
  const names = pointer.split('/').slice(1)
  let at = 0
  for (const [i, step] of path.entries()) {
    if (names[at] !== step.name) return false
    at += step.within === undefined || at + 1 === names.length ? 1 : 2
    if (at === names.length) return path.slice(i, -1).every(({ prune }) => prune === true)
  }
  return false
}

/**
 * Records what the kind's `prepare` changed. Restored parts of the status are recorded as dropped fields of the body:
 * only the subresource writes them.
 */
export function noteRules(why: RequestNotes, changes: WhyChanges): void {
  const ignored = changes === 'too large' ? [] : changes.filter(isTakenBack)
  if (ignored.length > 0) why.note({ step: 'dropped', because: 'not written here', fields: ignored.map(({ path }) => path) })
  const made = changes === 'too large' ? changes : changes.filter(change => !isTakenBack(change))
  if (made.length > 0) why.note({ step: 'rules of the kind', changes: made })
}

const isTakenBack = ({ op, path }: WhyChange): boolean => op !== 'add' && (path === '/status' || path.startsWith('/status/'))

/** Records the fields that decoding a patched object has added: defaults. */
export function noteAdded(why: RequestNotes, patched: Json, decoded: Json): void {
  const changes = why.changes(patched, decoded)
  const added = changes === 'too large' ? changes : changes.filter(({ op }) => op === 'add')
  if (added.length > 0) why.note({ step: 'defaults', changes: added })
}

const UNKNOWN = /^unknown field "(.*)"$/s

/** Records the fields of a body that its kind does not have. `faults`: messages of decoders. */
export function noteUnknown(why: RequestNotes | undefined, faults: readonly string[]): void {
  if (why === undefined || faults.length === 0) return
  const fields = faults.slice(0, MOST_UNKNOWN).flatMap(fault => UNKNOWN.exec(fault)?.[1] ?? [])
  if (fields.length > 0) why.note({ step: 'dropped', because: 'unknown field', fields })
}

/** Maximum number of fields that are recorded. */
const MOST_UNKNOWN = 100
