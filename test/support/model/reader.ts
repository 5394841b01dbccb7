import type { AnyObject } from '../any-object.ts'
import type { Chance } from './chance.ts'
import { acceptOf, anyForm, formQuery, isMetadataOnly } from './form.ts'
import { anyExtent, anyKey, collectionPath, extentQuery, objectPath, pathWith } from './objects.ts'
import type { SeenAnswer, SeenGet, SeenList, Wanted } from './seen.ts'
import { type Extent, keyOf } from './store-history.ts'
import type { ClientContext } from './writer.ts'

/** A revision of the past, the present, or one that is about to come. */
export const anyRevision = (chance: Chance, highest: number): number =>
  Math.max(1, highest - Math.floor(chance.random() ** 2 * 40) + (chance.is(0.2) ? chance.number(1, 3) : 0))

export async function getSomething({ recorder, chance, places, known, server }: ClientContext): Promise<void> {
  const key = anyKey(chance, places)
  const wanted = chance.pick<SeenGet['wanted']>(['latest', 'latest', 'any', { notOlderThan: anyRevision(chance, recorder.highest) }])
  const version = wanted === 'latest' ? '' : wanted === 'any' ? '0' : String((wanted as { notOlderThan: number }).notOlderThan)
  const form = anyForm(chance)
  const query: [string, string][] = version === '' ? [] : [['resourceVersion', version]]
  const path = pathWith(objectPath(places.kind, key), [...query, ...formQuery(form)])
  const request = { method: 'GET', path, accept: acceptOf(form, 'one') }
  const { status, body } = await recorder.ask<SeenGet>(server(), request, { kind: 'get', key, wanted, form })
  if (status === 200 && !isMetadataOnly(form)) known.set(key, body)
}

interface Version {
  readonly wanted: Wanted
  readonly query: [string, string][]
}

/** All ways to say which version is wanted. `limited`: with a limit, a bare version means that very one. */
export function anyVersion(chance: Chance, highest: number, limited: boolean): Version {
  const revision = anyRevision(chance, highest)
  const bare: [string, string] = ['resourceVersion', String(revision)]
  const zero: [string, string] = ['resourceVersion', '0']
  return chance.pick<Version>([
    { wanted: 'latest', query: [] },
    { wanted: 'latest', query: [] },
    { wanted: 'any', query: [zero] },
    { wanted: 'any', query: [zero, ['resourceVersionMatch', 'NotOlderThan']] },
    { wanted: limited ? { exactly: revision } : { notOlderThan: revision }, query: [bare] },
    { wanted: { notOlderThan: revision }, query: [bare, ['resourceVersionMatch', 'NotOlderThan']] },
    { wanted: { exactly: revision }, query: [bare, ['resourceVersionMatch', 'Exact']] },
  ])
}

/** A list, whole or in chunks, each from any server. */
export async function listSomething(client: ClientContext): Promise<void> {
  const { chance, places, recorder } = client
  const extent = anyExtent(chance, places)
  const limit = chance.is(0.5) ? chance.number(1, 4) : 0
  // A version without a match has another meaning with a limit for one object.
  const version = anyVersion(chance, recorder.highest, limit > 0 && extent.name === undefined)
  if (extent.name !== undefined && limit > 0 && version.query.length === 1 && version.wanted !== 'any') return
  await listAs(client, extent, version, limit)
}

export async function listAs(client: ClientContext, extent: Extent, { wanted, query }: Version, limit = 0): Promise<SeenAnswer> {
  const { chance, places, known, recorder } = client
  const path = collectionPath(places.kind, extent.namespace)
  const form = anyForm(chance)
  const accept = acceptOf(form, 'list')
  const common: [string, string][] = [
    ...extentQuery(extent),
    ...formQuery(form),
    ...(limit > 0 ? [['limit', String(limit)] as [string, string]] : []),
  ]
  let continued: SeenList['continued']
  let token: string | undefined
  for (;;) {
    const asked = token === undefined ? [...common, ...query] : ([...common, ['continue', token]] as [string, string][])
    const about = { kind: 'list' as const, extent, wanted, limit, form, ...(continued && { continued }) }
    const answer = await recorder.ask<SeenList>(client.server(), { method: 'GET', path: pathWith(path, asked), accept }, about)
    const { metadata } = answer.body as { metadata?: { continue?: string; resourceVersion?: string } }
    const items: readonly AnyObject[] = answer.status === 200 ? ((answer.body.items ?? []) as AnyObject[]) : []
    if (!isMetadataOnly(form)) for (const item of items) known.set(keyOf(item), item)
    token = metadata?.continue
    if (token === undefined || token === '' || chance.is(0.1)) return answer
    if (answer.status === 200) {
      const last = items.at(-1)
      if (last === undefined) return answer
      continued = { revision: Number(metadata?.resourceVersion), after: keyOf(last) }
    } else if (answer.status === 410 && continued !== undefined) continued = { revision: undefined, after: continued.after }
    else return answer
    if (chance.is(0.3)) await client.pause()
  }
}
