import { type FieldFacts, fieldText, sameFacts, withChange } from './field-facts.ts'
import type { GoStruct } from './go-structs.ts'
import { parseFieldLines } from './types-file.ts'

/** Change of one field between two releases. */
export type FieldChange =
  | { readonly kind: 'added'; readonly after: FieldFacts /** Key of the field before it. */; readonly follows: string | undefined }
  | { readonly kind: 'changed'; readonly before: FieldFacts; readonly after: FieldFacts }
  | { readonly kind: 'gone' }

/** Changes of a struct by the keys of its fields. Empty if nothing changes. */
export type StructChange = ReadonlyMap<string, FieldChange>

const keyOf = ({ name, number }: FieldFacts): string => name || `inline ${number}`

/** Returns how the fields of a struct differ between two releases. */
export function changeOf(before: Pick<GoStruct, 'fields'>, after: Pick<GoStruct, 'fields'>): StructChange {
  const changes = new Map<string, FieldChange>()
  const old = new Map(before.fields.map(field => [keyOf(field), field]))
  let follows: string | undefined
  for (const field of after.fields) {
    const key = keyOf(field)
    const was = old.get(key)
    if (was === undefined) changes.set(key, { kind: 'added', after: field, follows })
    else if (!sameFacts(was, field)) changes.set(key, { kind: 'changed', before: was, after: field })
    follows = key
  }
  const names = new Set(after.fields.map(keyOf))
  for (const key of old.keys()) if (!names.has(key)) changes.set(key, { kind: 'gone' })
  return changes
}

/** Reports whether two structs change alike. Packages of types are not compared, as versions refer to their own. */
export const sameChange = (a: FieldChange | undefined, b: FieldChange | undefined): boolean => changeText(a) === changeText(b)

function changeText(change: FieldChange | undefined): string {
  if (change === undefined) return ''
  const texts = [...('before' in change ? [change.before] : []), ...('after' in change ? [change.after] : [])]
  return [
    change.kind,
    ...texts.map(facts => fieldText({ ...facts, type: facts.type.replace(/\b\w+\.(?=[A-Z])/, ''), marks: [...facts.marks].sort() })),
  ].join('|')
}

/** Lines of a field after a change, and what has to be decided by a person. */
export interface EditedLines {
  readonly lines: readonly string[]
  readonly note?: string
}

/**
 * Applies a change to the lines of a field. The last line is that of the newest release. A line that already begins
 * with the release is edited in place, so that a second run changes nothing and a release replaces its preview.
 */
export function editedLines(lines: readonly string[], change: FieldChange, release: string): EditedLines {
  const newest = parseFieldLines(lines).at(-1)
  const [since, until] = [`since(${release})`, `until(${release})`]
  if (change.kind === 'added') {
    if (newest === undefined) return { lines: [fieldText({ ...change.after, marks: [...change.after.marks, since] })] }
    return newest.facts.marks.some(mark => mark.startsWith('until('))
      ? { lines, note: 'an earlier release had this field, too' }
      : { lines }
  }
  if (newest === undefined) return { lines, note: 'this field is not declared' }
  const { facts } = newest
  const others = lines.slice(0, -1)
  const isOfRelease = facts.marks.includes(since)
  if (change.kind === 'gone') {
    if (facts.marks.some(mark => mark.startsWith('until('))) return { lines }
    return { lines: isOfRelease ? others : [...others, fieldText({ ...facts, marks: [...facts.marks, until] })] }
  }
  if (facts.marks.includes(until)) return { lines }
  const next = withChange(facts, change.before, change.after)
  if (sameFacts(next, facts)) return { lines }
  if (isOfRelease) return { lines: [...others, fieldText(next)] }
  const marks = [...next.marks.filter(mark => !mark.startsWith('since(')), since]
  return { lines: [...others, fieldText({ ...facts, marks: [...facts.marks, until] }), fieldText({ ...next, marks })] }
}
