import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mediaOffer } from '../../../src/codec/accept-header.ts'
import { type ControlPlane, createControlPlane } from '../../../src/control-plane/control-plane.ts'
import { statusEncoder } from '../../../src/endpoints/status-encoder.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import type { Backend } from '../../../src/storage/backend.ts'
import { openEmbedded } from '../../../src/storage/embedded/open-embedded.ts'
import { openEtcd } from '../../../src/storage/etcd/open-etcd.ts'
import { revision } from '../../../src/storage/revision.ts'
import { controlPlaneOptions } from '../control-plane-options.ts'
import { startEtcd } from '../etcd.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { patience } from '../waiting.ts'
import type { Setting } from './cell.ts'
import type { World } from './history.ts'
import { type Client, http2Client } from './http2-client.ts'

export type StoreName = 'embedded' | 'etcd'

interface Store {
  open(): Promise<Backend>
  remove(): Promise<void>
}

async function storeOf(name: StoreName): Promise<Store> {
  if (name === 'etcd') {
    const etcd = await startEtcd()
    return { open: () => openEtcd({ servers: [etcd.url] }, silentLogger), remove: () => etcd.stop() }
  }
  const dir = mkdtempSync(join(tmpdir(), 'embedded-'))
  return {
    open: async () => openEmbedded({ dir }, systemClock, silentLogger),
    remove: async () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** Our own server over a store of its own, with no controllers. */
export async function ownWorld(storeName: StoreName, setting: Setting | undefined): Promise<World & { close(): Promise<void> }> {
  const store = await storeOf(storeName)
  const media = mediaOffer({ cbor: true })
  let backend: Backend
  let plane: ControlPlane
  let server: TestServer
  let client: Client
  async function start(): Promise<void> {
    backend = await store.open()
    const gates = parseGates(
      '1.33',
      new Map(setting === undefined || setting === 'watch-cache=false' ? [] : [[setting.replace('=false', ''), false]]),
    )
    const isCached = (): boolean => setting !== 'watch-cache=false'
    plane = createControlPlane(controlPlaneOptions(backend, { release: { gates }, requests: { media }, storage: { isCached } }))
    await plane.synced(patience())
    server = await startTestServer(plane.api, { exchange: { encodeStatus: statusEncoder(media) } })
    const { serverCa, admin } = server.credentials
    client = http2Client(`https://127.0.0.1:${server.running.securePort}`, { ca: serverCa, ...admin })
  }
  async function stop(): Promise<void> {
    client.close()
    plane.beginShutdown()
    await server.close()
    await plane.close()
  }
  await start()
  return {
    client: () => client,
    async restart() {
      await stop()
      await start()
    },
    compact: before => backend.compact(revision(before), patience()),
    async close() {
      await stop()
      await store.remove()
    },
  }
}
