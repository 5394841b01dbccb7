import { silentLogger } from '../../../../src/lib/log.ts'
import type { Backend } from '../../../../src/storage/backend.ts'
import { openEtcd } from '../../../../src/storage/etcd/open-etcd.ts'
import { keyspaceEnd, keyspaceStart } from '../../../../src/storage/key-range.ts'
import { storageConformance } from '../../../conformance/storage.ts'
import type { EtcdServer } from '../../../support/etcd.ts'
import { findEtcd, startEtcd } from '../../../support/etcd.ts'
import { cacherHarness, directHarness } from '../../../support/test-cacher.ts'

const skip = findEtcd() === undefined ? 'there is no etcd binary; hack/etcd installs one' : undefined

let server: Promise<EtcdServer> | undefined
after(async () => (await server)?.stop())

/** All cases share one etcd, emptied before each. */
async function open(): Promise<[Backend, () => Promise<void>]> {
  server ??= startEtcd()
  const backend = await openEtcd({ servers: [(await server).url] }, silentLogger)
  const { signal } = new AbortController()
  const { items } = await backend.range({ start: keyspaceStart, end: keyspaceEnd }, signal)
  for (const { key, modRevision } of items) await backend.write({ key, expected: modRevision }, signal)
  return [backend, () => backend.close()]
}

storageConformance('direct, etcd', async () => directHarness(...(await open())), skip)
storageConformance('watch cache, etcd', async () => cacherHarness(...(await open())), skip)
