import type { Availability, Field, ListSchema } from './schema.ts'

/** Parses single marks of a declaration. `schema/idl.ts` lists them. */

const LIST_KEYS = /^map\((.+)\)$/
const MERGE_KEY = /^merge\((.+)\)$/
const AVAILABILITY = /^(since|until|gate)\(([^,]+)(?:,(own|follows|never|created))?\)$/
const RELEASE = /^(since|until)\(1\.(\d+)\)$/
const STRATEGIES = ['merge', 'replace', 'retainKeys']

/**
 * Returns the marks that apply in release 1.`minor`, without their releases: `atomic@1.30` applies from that release
 * on. Without `minor`, returns all marks.
 */
export const marksIn = (marks: readonly string[], minor?: number): string[] =>
  marks.flatMap(mark => {
    const [name = '', since] = mark.split('@1.')
    return since === undefined || minor === undefined || Number(since) <= minor ? [name] : []
  })

const argumentOf = (marks: readonly string[], mark: RegExp): string | undefined =>
  marks.map(each => mark.exec(each)?.[1]).find(text => text !== undefined)

/** Parses `set`, `atomic` and `map(a,b)` of a list. */
export function listMarks(marks: readonly string[]): Pick<ListSchema, 'listType' | 'listMapKeys'> {
  const keys = argumentOf(marks, LIST_KEYS)
  if (keys !== undefined) return { listType: 'map', listMapKeys: keys.split(',') }
  if (marks.includes('set')) return { listType: 'set' }
  return marks.includes('atomic') ? { listType: 'atomic' } : {}
}

/** Parses `merge(key)`, `merge`, `replace` and `retainKeys`. */
export function patchMarks(marks: readonly string[]): Pick<Field, 'patchStrategy' | 'patchMergeKey'> {
  const strategies = marks.map(mark => (MERGE_KEY.test(mark) ? 'merge' : mark)).filter(mark => STRATEGIES.includes(mark))
  const key = argumentOf(marks, MERGE_KEY)
  return { ...(strategies.length > 0 && { patchStrategy: strategies.join(',') }), ...(key !== undefined && { patchMergeKey: key }) }
}

/** Parses `since(1.30)`, `until(1.31)`, and `gate(Name)` or `gate(Name,use)`. */
export function availability(marks: readonly string[]): Availability {
  const found: { -readonly [K in keyof Availability]: Availability[K] } = {}
  for (const mark of marks) {
    const [, name, value, use] = AVAILABILITY.exec(mark) ?? []
    if (value !== undefined && (name === 'since' || name === 'until' || name === 'gate')) found[name] = value
    if (use === 'own' || use === 'follows' || use === 'never' || use === 'created') found.gateUse = use
  }
  return found
}

/** Whether release 1.`minor` is within `since` and `until`. */
export const isInRelease = (marks: readonly string[], minor: number): boolean =>
  marks.every(mark => {
    const [, name, bound] = RELEASE.exec(mark) ?? []
    return bound === undefined || Number(bound) <= minor === (name === 'since')
  })

const ENUM_VALUE = /^(?:"(?<quoted>[^"]*)"|(?<plain>[^@]+))(?:@(?<gone>-?)1\.(?<minor>\d+))?$/

/**
 * Returns the values of an enum without quotes. With `minor`, only those of release 1.`minor`: `None@1.35` was added in
 * that release, `None@-1.31` was removed.
 */
export const enumValues = (written: readonly string[], minor?: number): string[] =>
  written.flatMap(text => {
    const { quoted, plain, gone, minor: bound } = ENUM_VALUE.exec(text)?.groups ?? {}
    const has = bound === undefined || minor === undefined || Number(bound) <= minor !== (gone === '-')
    return has ? [quoted ?? plain ?? text] : []
  })
