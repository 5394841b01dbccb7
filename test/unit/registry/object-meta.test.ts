import { expect } from 'chai'
import type { ObjectMeta } from '../../../src/api/meta/object.ts'
import { checkName, dedupOwnerReferences, ensureNamespace, generatedName, wipeSystemFields } from '../../../src/registry/object-meta.ts'

describe('object metadata of a write', () => {
  it('gets the namespace of the request, and must not name another', () => {
    const none: ObjectMeta = { name: 'a' }
    ensureNamespace(none, 'ns')
    expect(none.namespace).to.equal('ns')
    const cluster: ObjectMeta = { name: 'a', namespace: 'ns' }
    ensureNamespace(cluster, '')
    expect(cluster).to.not.have.property('namespace')
    expect(() => ensureNamespace({ name: 'a', namespace: 'x' }, 'ns')).to.throw(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  })

  it('must name the object of the path', () => {
    const object = (metadata: ObjectMeta) => ({ kind: 'K', apiVersion: 'v1', metadata })
    checkName(object({ name: 'a', namespace: 'ns' }), 'a', 'ns')
    expect(() => checkName(object({ name: 'b' }), 'a', 'ns')).to.throw('the name of the object (b) does not match the name on the URL (a)')
    expect(() => checkName(object({}), 'a', 'ns')).to.throw(
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    )
  })

  it('loses the fields that only the server sets', () => {
    const meta: ObjectMeta = {
      name: 'a',
      uid: 'u',
      creationTimestamp: '2020-01-01T00:00:00Z',
      deletionTimestamp: '2020-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 3,
      labels: { a: 'b' },
    }
    wipeSystemFields(meta)
    expect(meta).to.deep.equal({ name: 'a', creationTimestamp: null, labels: { a: 'b' } })
  })

  it('loses duplicate owner references, with a warning', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u1' }
    const meta: ObjectMeta = { ownerReferences: [owner, { ...owner, uid: 'u2' }, { ...owner }] }
    const warnings: string[] = []
    dedupOwnerReferences(meta, text => warnings.push(text), false)
    expect(meta.ownerReferences?.map(o => o.uid)).to.deep.equal(['u1', 'u2'])
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.match(/^\.metadata\.ownerReferences contains duplicate entries; .*observed: u1$/)
  })

  it('has generated names of at most 63 characters', () => {
    expect(generatedName('web-', 'abcde')).to.equal('web-abcde')
    expect(generatedName('x'.repeat(80), 'abcde')).to.equal(`${'x'.repeat(58)}abcde`)
  })
})
