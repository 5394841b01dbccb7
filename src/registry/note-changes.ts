import type { RequestNotes } from '../meta/request-notes.ts'
import type { WhyChange, WhyChanges } from '../meta/why.ts'
import type { GatedField } from '../schema/gated-fields.ts'

/** Takes down the fields that were cleared since their gate is off, by gate. */
export function noteTurnedOff(why: RequestNotes, changes: WhyChanges, off: readonly GatedField[]): void {
  if (changes === 'too large') return
  const byGate = new Map<string, string[]>()
  for (const { path } of changes) {
    const gate = off.find(field => isAt(field, path))?.gate ?? ''
    byGate.set(gate, [...(byGate.get(gate) ?? []), path])
  }
  for (const [gate, fields] of byGate) why.note({ step: 'dropped', because: 'feature gate', fields, ...(gate !== '' && { gate }) })
}

/** Whether a pointer is that of a field, or of what was left empty without it and has gone, too: its names in their order, with the places in lists and the keys of maps left out. */
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

/** Takes down what a kind makes of an object by itself. What it takes back of the status, or of a spec that is written by a subresource alone, does not come from the body. */
export function noteRules(why: RequestNotes, changes: WhyChanges): void {
  const ignored = changes === 'too large' ? [] : changes.filter(isTakenBack)
  if (ignored.length > 0) why.note({ step: 'dropped', because: 'not written here', fields: ignored.map(({ path }) => path) })
  const made = changes === 'too large' ? changes : changes.filter(change => !isTakenBack(change))
  if (made.length > 0) why.note({ step: 'rules of the kind', changes: made })
}

const isTakenBack = ({ op, path }: WhyChange): boolean => op !== 'add' && (path === '/status' || path.startsWith('/status/'))
