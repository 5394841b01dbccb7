import { createHash } from 'node:crypto'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import type { MemoryTables } from '../../src/storage/embedded/memory-tables.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../src/testing/types.ts'
import type { AnyObject } from './any-object.ts'

/** Returns a digest of all changes in the store of a control plane with their revisions, and their number. */
export function storeDigest(plane: ControlPlane): string {
  const { log } = (plane as unknown as { tables(): MemoryTables }).tables()
  const digest = createHash('sha256')
  let changes = 0
  for (const { key, value } of log.getRange({})) {
    digest.update(key).update(value)
    changes++
  }
  return `${digest.digest('hex')} of ${changes}`
}

const KINDS = ['configmaps', 'services', 'resourcequotas', 'secrets', 'serviceaccounts'] as const

const bodies: Readonly<Record<(typeof KINDS)[number], (name: string, i: number) => object>> = {
  configmaps: (_name, i) => ({ metadata: { generateName: 'g-' }, data: { i: String(i) } }),
  services: name => ({ metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }),
  resourcequotas: name => ({ metadata: { name }, spec: { hard: { configmaps: '20' } } }),
  secrets: name => ({
    metadata: { name, annotations: { 'kubernetes.io/service-account.name': 'default' } },
    type: 'kubernetes.io/service-account-token',
  }),
  serviceaccounts: name => ({ metadata: { name } }),
}

const replicaSet = (name: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
})

/**
 * Runs a random history, which is the same for the same seed. Controllers react to most of it: with tokens, counts of
 * quotas, garbage collection and emptied namespaces.
 */
export async function randomHistory(plane: ControlPlane, seed: number, steps: number): Promise<void> {
  const random = seededRandom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  const make = async (path: string, body: object): Promise<AnyObject> => (await plane.request('POST', path, { body })).body as AnyObject
  for (let i = 0; i < steps; i++) {
    const namespace = ['default', 'a', 'b'][below(3)]
    const core = `/api/v1/namespaces/${namespace}`
    const sets = `/apis/apps/v1/namespaces/${namespace}/replicasets`
    const name = `n${below(6)}`
    const kind = KINDS[below(KINDS.length)] ?? 'configmaps'
    const choice = below(10)
    if (choice === 0) await make('/api/v1/namespaces', { metadata: { name: namespace } })
    else if (choice === 1) await plane.request('DELETE', `/api/v1/namespaces/${namespace}`)
    else if (choice < 6) await make(`${core}/${kind}`, bodies[kind](name, i))
    else if (choice === 6) await plane.request('DELETE', `${core}/${kind}/${name}`)
    else if (choice === 7) await plane.request('DELETE', `${sets}/${name}`)
    else {
      const { metadata } = await make(sets, replicaSet(name))
      const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: metadata?.uid }
      if (metadata?.uid !== undefined) await make(`${core}/configmaps`, { metadata: { name: `of-${name}-${i}`, ownerReferences: [owner] } })
    }
    if (below(10) === 0) await plane.advance('10s')
  }
  await plane.settled()
}

/** The program: prints the digest of a control plane of the seed `x` after a history of so many steps. */
async function main([seed, steps]: readonly string[]): Promise<void> {
  const plane = await startControlPlane({ seed: 'x' })
  await randomHistory(plane, Number(seed), Number(steps))
  process.stdout.write(storeDigest(plane))
  await plane.stop()
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2))
