import type { Client } from './http2-client.ts'

/** The versions of the history by their names. */
export type Versions = ReadonlyMap<string, number>

/** A server of the table, which can be started anew over the same store. */
export interface World {
  /** The running server's. */
  client(): Client
  /** Ends the server and starts another one, which knows nothing. */
  restart(): Promise<void>
  /** Drops what the store has of revisions before this one. */
  compact(before: number): Promise<void>
}

/** A revision that is never reached. Fixed, as it occurs in messages. */
const FUTURE = 9_000_000

const root = '/api/v1/namespaces'

/** Writes that give their version a name; what namespaces are made at has none. */
function writer(client: Client, names: Map<string, number>) {
  const send = async (method: string, path: string, body?: object): Promise<number> => {
    const answer = await client.ask(method, path, 'application/json', body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
    const { metadata } = JSON.parse(answer.body.toString()) as { metadata: { resourceVersion?: string } }
    return Number(metadata.resourceVersion)
  }
  const pathOf = (of: string): string => `${root}/${of.replace('/', '/configmaps/')}`
  const object = (of: string, l: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: of.split('/')[1], labels: { l } },
    data: { write: String(names.size) },
  })
  return {
    namespace: (name: string) => send('POST', root, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
    async create(of: string, l: string, version = `v${names.size}`) {
      names.set(version, await send('POST', pathOf(of).replace(/\/[^/]*$/, ''), object(of, l)))
    },
    async update(of: string, l: string, version = `v${names.size}`) {
      names.set(version, await send('PUT', pathOf(of), object(of, l)))
    },
    async remove(of: string) {
      await send('DELETE', pathOf(of))
      // The response lacks the version. There are no other writers.
      names.set(`v${names.size}`, await send('GET', pathOf(of).replace(/\/[^/]*$/, '')))
    },
  }
}

/**
 * `ancient` is compacted. `kept` is in the store, but older than the cache of the server. `older` is in the middle of
 * the server's history. `current` is the last change. `future` is never reached.
 */
export async function writeHistory(world: World): Promise<Map<string, number>> {
  const names = new Map<string, number>()
  const first = writer(world.client(), names)
  for (const name of ['one', 'two']) await first.namespace(name)
  await first.create('one/a', '1')
  await first.create('one/b', '1', 'ancient')
  await first.create('two/a', '1')
  await first.create('two/gone', '1')
  await world.compact(await first.namespace('zero'))
  await first.create('one/c', '1', 'kept')
  await first.create('two/b', '2')
  // An object of another kind, as the initial revision of the next server has no name.
  await first.namespace('three')
  await world.restart()
  const second = writer(world.client(), names)
  await second.namespace('four')
  await second.create('one/d', '2')
  await second.update('one/b', '2')
  await second.create('two/c', '1', 'older')
  await second.update('one/c', '1')
  await second.remove('one/a')
  await second.create('one/e', '1')
  await second.update('one/d', '1', 'current')
  // The cached state must be the last one, which some reads request. If reads use the store, no earlier read has waited
  // for the cache.
  const current = `resourceVersion=${names.get('current')}&resourceVersionMatch=NotOlderThan`
  const reached = await world.client().ask('GET', `/api/v1/configmaps?${current}`, 'application/json')
  if (reached.status !== 200) throw new Error(`the last change is not shown: ${reached.status}`)
  names.set('future', FUTURE)
  return names
}

/**
 * Makes changes for open watches: new, changed and deleted objects, and objects that start and stop matching a
 * selector.
 */
export async function writeMore(client: Client, names: Map<string, number>): Promise<void> {
  const { create, update, remove } = writer(client, names)
  await create('one/f', '1', 'live1')
  await update('one/c', '2', 'live2')
  await update('one/b', '1', 'live3')
  await update('one/c', '1', 'live4')
  await remove('one/e')
  await create('two/f', '1', 'live6')
  await update('one/f', '1', 'live7')
  await remove('one/f')
}
