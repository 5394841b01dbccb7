import { expect } from 'chai'
import type { ApiClient } from '../../../src/clients/api-client.ts'
import { PODS } from '../../../src/cluster/shared/kinds.ts'
import type { ClusterLoop } from '../../../src/control-plane/cluster-loop.ts'
import { createControlPlane } from '../../../src/control-plane/control-plane.ts'
import { untilAborted } from '../../../src/lib/on-abort.ts'
import { isStatusError } from '../../../src/meta/status.ts'
import { apiClientSuite } from '../../conformance/api-client.ts'
import { NAMESPACES } from '../../support/builtin-registry.ts'
import { controlPlaneOptions } from '../../support/control-plane-options.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

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
})
