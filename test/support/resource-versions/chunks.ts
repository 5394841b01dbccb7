import type { World } from './history.ts'

interface Page {
  readonly status: number
  readonly reason?: string
  readonly version: number
  readonly names: readonly string[]
  readonly remaining: number | undefined
  readonly token: string
}

const PATH = '/api/v1/configmaps'
const bodyOf = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })

async function pageOf(world: World, limit: number, token: string): Promise<Page> {
  const query = `limit=${limit}${token === '' ? '' : `&continue=${token}`}`
  const { status, body } = await world.client().ask('GET', `${PATH}?${query}`, 'application/json')
  const { reason, metadata, items } = JSON.parse(body.toString()) as {
    reason?: string
    metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number }
    items?: { metadata: { name: string; namespace: string } }[]
  }
  return {
    status,
    ...(reason !== undefined && { reason }),
    version: Number(metadata.resourceVersion ?? 0),
    names: (items ?? []).map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
    remaining: metadata.remainingItemCount,
    token: metadata.continue ?? '',
  }
}

/** Responses to a client that lists in chunks during writes. */
export interface Chunks {
  /** The whole list in one, before. */
  readonly whole: Page
  /** The same in chunks, with writes in between. */
  readonly chunks: readonly Page[]
  /** A first chunk, what its token gives after compaction and a restart, and what the token of that gives. */
  readonly first: Page
  readonly expired: Page
  readonly rest: readonly Page[]
  /** The whole list in one, at the end. */
  readonly after: Page
}

/**
 * Lists everything in chunks of three; then again, with the history of the first chunk gone before the second. Leaves
 * the store compacted.
 */
export async function listInChunks(world: World): Promise<Chunks> {
  const write = async (method: string, name: string): Promise<void> => {
    const path = `/api/v1/namespaces/one/configmaps${method === 'POST' ? '' : `/${name}`}`
    const answer = await world.client().ask(method, path, 'application/json', method === 'POST' ? bodyOf(name) : undefined)
    if (answer.status >= 300) throw new Error(`${method} ${name}: ${answer.status}`)
  }
  const whole = await pageOf(world, 0, '')
  const chunks = [await pageOf(world, 3, '')]
  for (let last = chunks[0] as Page; last.token !== ''; chunks.push(last)) {
    await write('POST', `y${chunks.length}`)
    last = await pageOf(world, 3, last.token)
  }
  const first = await pageOf(world, 3, '')
  await write('POST', 'z')
  await write('DELETE', 'y1')
  const after = await pageOf(world, 0, '')
  await world.compact(after.version)
  await world.restart()
  const expired = await pageOf(world, 3, first.token)
  const rest = [await pageOf(world, 3, expired.token)]
  for (let last = rest[0] as Page; last.token !== ''; rest.push(last)) last = await pageOf(world, 3, last.token)
  return { whole, chunks, first, expired, rest, after }
}
