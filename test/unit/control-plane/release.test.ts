import { expect } from 'chai'
import type { Release } from '../../../src/lifecycle/release.ts'
import { type Answer, inRelease } from '../../support/in-release.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  status: { nodeInfo: { swap: { capacity: 5 } } },
}
const swapOf = (exchange: Answer): unknown => (exchange.json as { status?: { nodeInfo?: { swap?: unknown } } }).status?.nodeInfo?.swap

describe('a store shared by servers of several releases', () => {
  it('keeps fields that a release does not know unless that release writes the object', async () => {
    const backend = new MemoryBackend()
    const get = (release: Release) => inRelease(backend, release, async call => swapOf(await call('/api/v1/nodes/n')))
    const made = await inRelease(backend, '1.33', call => call('/api/v1/nodes', { method: 'POST', body: JSON.stringify(NODE) }))
    expect(made.status).to.equal(201)
    expect(await get('1.32')).to.equal(undefined)
    expect(await get('1.33')).to.deep.equal({ capacity: 5 })
  })

  it('rejects unknown fields with strict validation, otherwise drops them with a warning', async () => {
    await inRelease(new MemoryBackend(), '1.32', async call => {
      const create = (fieldValidation: string) =>
        call('/api/v1/nodes', {
          method: 'POST',
          search: `?fieldValidation=${fieldValidation}`,
          body: JSON.stringify({ ...NODE, metadata: { name: fieldValidation.toLowerCase() } }),
        })
      const refused = await create('Strict')
      expect(refused.status).to.equal(400)
      expect((refused.json as { message: string }).message).to.include('unknown field "status.nodeInfo.swap"')
      const made = await create('Warn')
      expect([made.status, swapOf(made)]).to.deep.equal([201, undefined])
      expect(made.warnings).to.deep.equal(['unknown field "status.nodeInfo.swap"'])
    })
  })

  it('serves only the versions of the release', async () => {
    const statusIn = (release: Release, path: string) => inRelease(new MemoryBackend(), release, async call => (await call(path)).status)
    expect(await statusIn('1.32', '/apis/networking.k8s.io/v1/servicecidrs')).to.equal(404)
    expect(await statusIn('1.33', '/apis/networking.k8s.io/v1/servicecidrs')).to.equal(200)
    expect(await statusIn('1.32', '/api/v1/namespaces/a/pods/p/resize')).to.equal(404)
  })
})
