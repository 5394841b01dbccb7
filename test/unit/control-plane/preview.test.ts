import { expect } from 'chai'
import type { ObjectMeta } from '../../../src/api/meta/object.ts'
import { type Answer, type Call, inRelease } from '../../support/in-release.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const DELETION = { deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 3 }

/** Creates a Lease by a PUT or an apply whose body has deletion metadata. */
const createBy = (call: Call, method: 'PUT' | 'PATCH', name: string): Promise<Answer> => {
  const body = JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, ...DELETION }, spec: {} })
  if (method === 'PUT') return call(`${LEASES}/${name}`, { method, body })
  return call(`${LEASES}/${name}`, {
    method,
    search: 'fieldManager=test',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body,
  })
}

const statusOf = async (call: Call, path: string): Promise<number> => (await call(path)).status

describe('the preview of 1.38', () => {
  it('serves the kinds and versions of its modules', () =>
    inRelease(
      new MemoryBackend(),
      '1.38',
      async call => {
        expect(await statusOf(call, '/apis/scheduling.k8s.io/v1beta1/compositepodgroups')).to.equal(200)
        expect(await statusOf(call, '/apis/resource.k8s.io/v1beta1/deviceclasses')).to.equal(404)
        expect(await statusOf(call, '/apis/resource.k8s.io/v1alpha3/devicetaintrules')).to.equal(200)
        expect(await statusOf(call, '/apis/admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies')).to.equal(200)
      },
      { CompositePodGroup: true, GenericWorkload: true, TopologyAwareWorkloadScheduling: true },
      ['api/all'],
    ))

  it('has the revision of a deletion in its response', async () => {
    const metadataIn = (release: '1.37' | '1.38') =>
      inRelease(new MemoryBackend(), release, async call => {
        await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'default' } }) })
        await createBy(call, 'PUT', 'new')
        const { metadata } = (await call(`${LEASES}/new`, { method: 'DELETE' })).json as { metadata: ObjectMeta }
        const list = (await call(LEASES)).json as { metadata: ObjectMeta }
        return [metadata, list.metadata.resourceVersion]
      })
    expect((await metadataIn('1.37'))[0]).to.deep.equal({})
    const [metadata, newest] = await metadataIn('1.38')
    expect(metadata).to.deep.equal({ resourceVersion: newest })
  })

  for (const method of ['PUT', 'PATCH'] as const)
    it(`is not that of 1.36, which keeps deletion metadata in the body of a ${method} that creates`, () =>
      inRelease(new MemoryBackend(), '1.36', async call => {
        await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'default' } }) })
        const { json } = await createBy(call, method, 'new')
        expect((json as { metadata: ObjectMeta }).metadata).to.include(DELETION)
      }))

  for (const release of ['1.37', '1.38'] as const)
    for (const method of ['PUT', 'PATCH'] as const)
      it(`clears deletion metadata in the body of a ${method} that creates in ${release}`, () =>
        inRelease(new MemoryBackend(), release, async call => {
          await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'default' } }) })
          const { status, json } = await createBy(call, method, 'new')
          expect(status).to.equal(201)
          expect((json as { metadata: ObjectMeta }).metadata).not.to.have.any.keys('deletionTimestamp', 'deletionGracePeriodSeconds')
        }))
})
