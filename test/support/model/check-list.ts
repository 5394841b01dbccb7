import type { AnyObject } from '../any-object.ts'
import { possible, refusalFault } from './check-answer.ts'
import { isMetadataOnly } from './form.ts'
import type { Circumstances, SeenList, Wanted } from './seen.ts'
import { selectsAll } from './selection.ts'
import { contentOf, keyOf, type StoreHistory, shown } from './store-history.ts'

interface ListBody {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string; readonly remainingItemCount?: number }
  /** Null in an empty list of metadata. */
  readonly items: readonly AnyObject[] | null
}

/** Returns the contradictions of a response to a list, or to one page of it. */
export function checkList(history: StoreHistory, seen: SeenList, around: Circumstances): string[] {
  const { extent, answer, continued, limit } = seen
  const wanted: Wanted =
    continued === undefined ? seen.wanted : continued.revision === undefined ? 'latest' : { exactly: continued.revision }
  const what = `list ${JSON.stringify(extent)} ${JSON.stringify(wanted)} limit ${limit} after ${continued?.after ?? '-'} of server ${seen.server} (${seen.floor}…${seen.ceiling})`
  if (answer.status !== 200) {
    const exactly = typeof wanted === 'object' && 'exactly' in wanted ? wanted.exactly : undefined
    // With a limit, a version means that very one, unless something else is said.
    const fault = refusalFault(answer, wanted, exactly, seen, around)
    if (fault !== undefined) return [`${what}: ${fault}`]
    if (answer.status === 410 && continued !== undefined && !(answer.body as unknown as ListBody).metadata.continue)
      return [`${what}: 410 without a token to go on with`]
    return []
  }
  const { metadata, items: listed } = answer.body as unknown as ListBody
  const items = listed ?? []
  const told = Number(metadata.resourceVersion)
  const { lo, hi } = possible(wanted, seen)
  if (!(told >= lo && told <= hi)) return [`${what}: the state of ${told}, which is not of ${lo}…${hi}`]
  const left = history.state(extent, told).filter(({ key }) => continued === undefined || key > continued.after)
  const goesOn = metadata.continue !== undefined && metadata.continue !== ''
  // A cached state is returned completely, unless the server has none yet.
  const page = limit === 0 || (wanted === 'any' && !goesOn) ? left : left.slice(0, limit)
  const wrong: string[] = []
  const expected = page.map(version => `${version.key} ${version.revision} ${shown(version, isMetadataOnly(seen.form))}`)
  const found = items.map(item => `${keyOf(item)} ${item.metadata.resourceVersion} ${contentOf(item)}`)
  const [due, given] = [new Set(expected), new Set(found)]
  for (const one of due) if (!given.has(one)) wrong.push(`${what}: at ${told} it lacks ${one}`)
  for (const one of given) if (!due.has(one)) wrong.push(`${what}: at ${told} it has ${one}`)
  if (wrong.length === 0 && (expected.length !== found.length || expected.some((one, i) => one !== found[i])))
    wrong.push(`${what}: not in order, or doubled: ${found.join()}`)
  const after = left.length - page.length
  const whole = selectsAll(extent.selection) && extent.name === undefined
  if (after > 0 && !goesOn) wrong.push(`${what}: no token, but ${after} objects more at ${told}`)
  // With selectors it is known only by looking whether anything more is selected.
  if (goesOn && (limit === 0 || items.length < limit || (whole && after === 0))) wrong.push(`${what}: a token, but nothing more at ${told}`)
  if (metadata.remainingItemCount !== undefined && (!whole || metadata.remainingItemCount !== after))
    wrong.push(`${what}: ${metadata.remainingItemCount} remain, but ${after} do at ${told}`)
  if (whole && goesOn && metadata.remainingItemCount === undefined) wrong.push(`${what}: it does not say how many remain`)
  return wrong
}
