import { possible, refusalFault } from './check-answer.ts'
import { isMetadataOnly } from './form.ts'
import type { Circumstances, SeenGet } from './seen.ts'
import { contentOf, keyOf, type StoreHistory, shown } from './store-history.ts'

/** Returns the contradictions of a response to a get. */
export function checkGet(history: StoreHistory, seen: SeenGet, around: Circumstances): string[] {
  const { key, wanted, answer } = seen
  const { lo, hi } = possible(wanted, seen)
  const what = `get ${key} ${JSON.stringify(wanted)} of server ${seen.server} (${seen.floor}…${seen.ceiling})`
  if (answer.status === 404) {
    if (lo > hi) return [`${what}: 404 of a revision that has not come`]
    return history.moments(lo, hi).some(moment => history.at(key, moment) === undefined)
      ? []
      : [`${what}: 404, but it was there all the time`]
  }
  if (answer.status !== 200) {
    const fault = refusalFault(answer, wanted, undefined, seen, around)
    return fault === undefined ? [] : [`${what}: ${fault}`]
  }
  const told = Number(answer.body.metadata.resourceVersion)
  if (keyOf(answer.body) !== key) return [`${what}: it is ${keyOf(answer.body)}`]
  const version = history.at(key, told)
  if (version?.revision !== told) return [`${what}: it was not written at ${told}`]
  const wrong: string[] = []
  const right = shown(version, isMetadataOnly(seen.form))
  if (right !== contentOf(answer.body)) wrong.push(`${what}: ${contentOf(answer.body)}, but at ${told} it is ${right}`)
  const { to } = history.interval(key, told)
  if (told > hi || to < lo) wrong.push(`${what}: the state of ${told}…${to}, which is not of ${lo}…${hi}`)
  return wrong
}
