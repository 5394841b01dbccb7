import { expect } from 'chai'
import type { ApiClient } from '../../../src/clients/api-client.ts'
import { NAMESPACES as NAMESPACE_KIND, PODS } from '../../../src/cluster/shared/kinds.ts'
import type { ClusterLoop } from '../../../src/control-plane/cluster-loop.ts'
import { createControlPlane } from '../../../src/control-plane/control-plane.ts'
import { Runtime } from '../../../src/control-plane/runtime.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { untilAborted } from '../../../src/lib/on-abort.ts'
import { isStatusError } from '../../../src/meta/status.ts'
import { apiClientSuite } from '../../conformance/api-client.ts'
import { NAMESPACES } from '../../support/builtin-registry.ts'
import { controlPlaneOptions } from '../../support/control-plane-options.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { eventually } from '../../support/waiting.ts'

const START = { address: '192.0.2.1', port: 6443, serviceIP: '10.0.0.1', certificateAuthority: 'PEM' }
const IDENTITY = { user: { name: 'someone', groups: [] }, userAgent: 'a-manager' }

describe('in-process client', () => {
  let client: ApiClient
  let close: () => Promise<void>
  before(async () => {
    let resolve: (client: ApiClient) => void = () => {}
    const opened = new Promise<ApiClient>(done => {
      resolve = done
    })
    const cluster: ClusterLoop = async ({ clientOf }, signal) => {
      resolve(clientOf(IDENTITY))
      await untilAborted(signal)
    }
    const plane = createControlPlane({ ...controlPlaneOptions(new MemoryBackend(), { admission: { plugins: [] } }), cluster })
    plane.start(START)
    client = await opened
    close = () => plane.close()
    await plane.registry
      .access()
      .create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'default' } })
      .catch((error: unknown) => {
        if (!isStatusError(error, 'AlreadyExists')) throw error
      })
  })
  after(() => close())

  apiClientSuite(() => client)

  it('writes with its own field manager', async () => {
    const pod = await client.create(PODS, {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'managed', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'i', resources: {} }] },
      status: {},
    })
    expect(pod.metadata.managedFields).to.have.nested.property('[0].manager', 'a-manager')
  })

  it('sends no write once the term of the Lease is over, even before a timer has run', async () => {
    let ahead = 0
    const runtime = new Runtime({ clock: { ...systemClock, now: () => Date.now() + ahead } })
    const options = controlPlaneOptions(new MemoryBackend(), { runtime, admission: { plugins: [] }, storage: { isExclusive: false } })
    let leader: ApiClient | undefined
    const cluster: ClusterLoop = async ({ clientOf }, signal) => {
      leader ??= clientOf(IDENTITY)
      await untilAborted(signal)
    }
    const plane = createControlPlane({ ...options, cluster })
    plane.start(START)
    await eventually('the server leads', () => leader !== undefined)
    const create = (name: string) =>
      leader?.create(NAMESPACE_KIND, { kind: 'Namespace', apiVersion: 'v1', metadata: { name }, spec: {}, status: {} })
    await create('before')
    ahead = 3_600_000
    const failure = await create('after')?.then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).to.be.an('error')
    const left = await plane.registry.access().list(NAMESPACES, '')
    const names = left.items.map(({ metadata }) => metadata.name)
    expect([names.includes('before'), names.includes('after')]).to.deep.equal([true, false])
    await plane.close()
  })
})
