import { join } from 'node:path'
import { Etcd3 } from 'etcd3'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { openEmbedded } from '../../../src/storage/embedded/open-embedded.ts'
import { type Key, key } from '../../../src/storage/revision.ts'
import { startBinnacle } from './processes.ts'
import { inFlight, pod, send } from './requests.ts'

/** Transactions of etcd hold this many operations by default. */
const PER_TRANSACTION = 120
const UID = /"uid":"[0-9a-f-]{36}"/

export interface Filling {
  readonly resource: 'pods' | 'configmaps'
  readonly count: number
  /** Bytes of data of a ConfigMap. */
  readonly dataBytes?: number
}

export interface Filled {
  /** Bytes of one object as it is stored. */
  readonly size: number
  readonly path: string
}

export const namespacePath = '/api/v1/namespaces/filled'
export const nameOf = (i: number): string => `object-${String(i).padStart(7, '0')}`
/** Pods are spread over so many nodes. */
export const NODES = 5000

/** Has a server create the namespace and the first object, and ends it. */
async function createFirst(flags: readonly string[], { resource, dataBytes = 0 }: Filling): Promise<string> {
  const server = await startBinnacle(flags)
  const path = `${namespacePath}/${resource}`
  await send(server.port, 'POST', '/api/v1/namespaces', { metadata: { name: 'filled' } })
  await send(server.port, 'POST', `${namespacePath}/serviceaccounts`, { metadata: { name: 'default' } }).catch(() => {})
  const name = nameOf(0)
  const body = resource === 'pods' ? filledPod() : { data: { a: 'x'.repeat(dataBytes) } }
  await send(server.port, 'POST', path, { ...body, metadata: { ...('metadata' in body ? (body.metadata as object) : {}), name } })
  await server.stop()
  return path
}

/** The stored form of the other objects, from that of the first. */
function othersLike(stored: Buffer): (i: number) => string {
  // Offsets of bytes are offsets of characters: all of it is ASCII.
  const text = stored.toString('latin1')
  const uid = UID.exec(text)?.[0] ?? ''
  return i =>
    text
      .replace(`"name":"${nameOf(0)}"`, `"name":"${nameOf(i)}"`)
      .replace(uid, `"uid":"${i.toString(16).padStart(8, '0')}${uid.slice(15)}`)
      .replace('"app":"app-0"', `"app":"app-${i % 100}"`)
      .replace('"nodeName":"node-0"', `"nodeName":"node-${i % NODES}"`)
}

/**
 * Puts objects into an etcd as a server of this tree would have stored them: one of them is created by it, and written
 * so often under other names.
 */
export async function fillEtcd(url: string, filling: Filling): Promise<Filled> {
  const { resource, count } = filling
  const path = await createFirst([`--etcd-servers=${url}`], filling)
  const etcd = new Etcd3({ hosts: url })
  try {
    const key = `/registry/${resource}/filled/${nameOf(0)}`
    const stored = await etcd.get(key).buffer()
    if (stored === null) throw new Error(`${key} is not in etcd`)
    const textFor = othersLike(stored)
    let next = 1
    const write = async (): Promise<void> => {
      while (next < count) {
        const first = next
        next = Math.min(count, first + PER_TRANSACTION)
        const puts = Array.from({ length: next - first }, (_, i) =>
          etcd
            .put(`/registry/${resource}/filled/${nameOf(first + i)}`)
            .value(textFor(first + i))
            .op(),
        )
        const transaction = etcd.if('/registry', 'Version', '==', 0)
        await transaction.then(...((await Promise.all(puts)) as never[])).commit()
      }
    }
    await Promise.all(Array.from({ length: 8 }, write))
    return { size: stored.length, path }
  } finally {
    etcd.close()
  }
}

/** The same in the embedded store of a data directory, which no server uses. */
export async function fillEmbedded(dataDir: string, filling: Filling): Promise<Filled> {
  const { resource, count } = filling
  const path = await createFirst([`--data-dir=${dataDir}`], filling)
  const { signal } = new AbortController()
  const backend = await openEmbedded({ dir: join(dataDir, 'store') }, systemClock, silentLogger)
  try {
    const keyFor = (i: number): Key => key(`/registry/${resource}/filled/${nameOf(i)}`)
    const { item } = await backend.get(keyFor(0), signal)
    if (item === undefined) throw new Error(`${keyFor(0)} is not in the store`)
    const textFor = othersLike(item.value)
    await inFlight(count - 1, 512, i => backend.write({ key: keyFor(i + 1), expected: 0, value: Buffer.from(textFor(i + 1)) }, signal))
    return { size: item.value.length, path }
  } finally {
    await backend.close()
  }
}

/** About 2 KB as it is stored, bound to a node. */
function filledPod(): object {
  const { spec, metadata } = pod(0) as { spec: object; metadata: object }
  return { metadata, spec: { ...spec, nodeName: 'node-0' } }
}
