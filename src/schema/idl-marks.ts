import type { Availability, Field, ListSchema } from './schema.ts'

/** What the marks of a declaration say, as far as one mark says it. `schema/idl.ts` lists them. */

const LIST_KEYS = /^map\((.+)\)$/
const MERGE_KEY = /^merge\((.+)\)$/
const AVAILABILITY = /^(since|until|gate)\(([^,]+)(?:,(own|follows|never|created))?\)$/
const RELEASE = /1\.(\d+)/
const STRATEGIES = ['merge', 'replace', 'retainKeys']

/** Without their releases, the marks that hold in the release 1.x of this number: `atomic@1.30` is one from that release on. Without a number all of them. */
export const marksIn = (marks: readonly string[], minor?: number): string[] =>
  marks.flatMap(mark => {
    const [name = '', since] = mark.split('@1.')
    return since === undefined || minor === undefined || Number(since) <= minor ? [name] : []
  })

const argumentOf = (marks: readonly string[], mark: RegExp): string | undefined => marks.map(each => mark.exec(each)?.[1]).find(text => text !== undefined)

/** `set`, `atomic` and `map(a,b)` of a list. */
export function listMarks(marks: readonly string[]): Pick<ListSchema, 'listType' | 'listMapKeys'> {
  const keys = argumentOf(marks, LIST_KEYS)
  if (keys !== undefined) return { listType: 'map', listMapKeys: keys.split(',') }
  if (marks.includes('set')) return { listType: 'set' }
  return marks.includes('atomic') ? { listType: 'atomic' } : {}
}

/** `merge(key)`, `merge`, `replace` and `retainKeys`. */
export function patchMarks(marks: readonly string[]): Pick<Field, 'patchStrategy' | 'patchMergeKey'> {
  const strategies = marks.map(mark => (MERGE_KEY.test(mark) ? 'merge' : mark)).filter(mark => STRATEGIES.includes(mark))
  const key = argumentOf(marks, MERGE_KEY)
  return { ...(strategies.length > 0 && { patchStrategy: strategies.join(',') }), ...(key !== undefined && { patchMergeKey: key }) }
}

/** `since(1.30)`, `until(1.31)`, and `gate(Name)` or `gate(Name,use)`. */
export function availability(marks: readonly string[]): Availability {
  const found: { -readonly [K in keyof Availability]: Availability[K] } = {}
  for (const mark of marks) {
    const [, name, value, use] = AVAILABILITY.exec(mark) ?? []
    if (value !== undefined && (name === 'since' || name === 'until' || name === 'gate')) found[name] = value
    if (use === 'own' || use === 'follows' || use === 'never' || use === 'created') found.gateUse = use
  }
  return found
}

/** Whether the release 1.x of this number has what stands behind `since` and `until` in a line. */
export function isInRelease(line: string, minor: number): boolean {
  const bound = (mark: string): number | undefined => {
    const at = line.indexOf(mark)
    return at < 0 ? undefined : Number(RELEASE.exec(line.slice(at))?.[1])
  }
  const since = bound(' since(')
  const until = bound(' until(')
  return (since === undefined || since <= minor) && (until === undefined || minor < until)
}

const ENUM_VALUE = /^(?:"(?<quoted>[^"]*)"|(?<plain>[^@]+))(?:@(?<gone>-?)1\.(?<minor>\d+))?$/

/** The values of an enum as they are written, without quotes: those that the release 1.x of this number has (`None@1.35` came with one, `None@-1.31` went), without a number all. */
export const enumValues = (written: readonly string[], minor?: number): string[] =>
  written.flatMap(text => {
    const { quoted, plain, gone, minor: bound } = ENUM_VALUE.exec(text)?.groups ?? {}
    const has = bound === undefined || minor === undefined || Number(bound) <= minor !== (gone === '-')
    return has ? [quoted ?? plain ?? text] : []
  })
