import { expect } from 'chai'
import { namespaceResource } from '../../../../../src/resources/core/namespace/definition.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

describe('namespaces', () => {
  validates(namespaceResource, {
    good: [{}, []],
    'a name with a dot': [{}, ['Invalid metadata.name'], { name: 'a.b' }],
    'a finalizer without domain': [{ spec: { finalizers: ['Foo'] } }, ['Invalid spec.finalizers']],
    'an invalid finalizer': [{ spec: { finalizers: ['a.b/c d'] } }, ['Invalid spec.finalizers']],
  })

  it('are created active, with the finalizer kubernetes and a label with their name', async () => {
    const made = await new KindCases(namespaceResource).create(
      { status: { phase: 'Terminating' }, spec: { finalizers: ['a.b/c'] } },
      { labels: { a: 'b' } },
    )
    expect(made.metadata.labels).to.deep.equal({ a: 'b', 'kubernetes.io/metadata.name': 'x' })
    expect(made.spec).to.deep.equal({ finalizers: ['a.b/c', 'kubernetes'] })
    expect(made.status).to.deep.equal({ phase: 'Active' })
  })

  it('get the label after their name is generated', () => {
    const namespace = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'a-12345', generateName: 'a-' } }
    namespaceResource.strategy?.canonicalize?.(namespace)
    expect(namespace.metadata).to.deep.include({ labels: { 'kubernetes.io/metadata.name': 'a-12345' } })
  })

  it('keep the finalizers, status and label on update', async () => {
    const cases = new KindCases(namespaceResource)
    await cases.create({})
    const next = await cases.update(
      { spec: { finalizers: [] }, status: { phase: 'Terminating' } },
      { labels: { 'kubernetes.io/metadata.name': 'other' } },
    )
    expect(next.spec).to.deep.equal({ finalizers: ['kubernetes'] })
    expect(next.status).to.deep.equal({ phase: 'Active' })
    expect(next.metadata.labels).to.deep.equal({ 'kubernetes.io/metadata.name': 'x' })
  })

  it('are Terminating exactly while they are being deleted', async () => {
    const cases = new KindCases(namespaceResource)
    await cases.create({})
    expect(await causesOf(cases.update({ status: { phase: 'Terminating' } }, {}, 'status'))).to.deep.equal(['Invalid status.Phase'])
    const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' }
    expect(await causesOf(cases.update({ status: { phase: 'Active' } }, deleting, 'status'))).to.deep.equal(['Invalid status.Phase'])
    const next = await cases.update({ status: { phase: 'Terminating' } }, deleting, 'status')
    expect([next.spec, next.status]).to.deep.equal([{ finalizers: ['kubernetes'] }, { phase: 'Terminating' }])
  })

  it('are finalized through the subresource finalize', async () => {
    const cases = new KindCases(namespaceResource)
    const made = await cases.create({})
    const { holdsDeletion, markDeleting } = namespaceResource.strategy ?? {}
    expect(holdsDeletion?.(made)).to.equal(true)
    made.metadata.deletionGracePeriodSeconds = 0
    markDeleting?.(made)
    expect(made.metadata).to.not.have.property('deletionGracePeriodSeconds')
    expect(made.status).to.deep.equal({ phase: 'Terminating' })
    expect(await causesOf(cases.update({ spec: { finalizers: ['Foo'] } }, {}, 'finalize'))).to.deep.equal(['Invalid spec.finalizers[0]'])
    const next = await cases.update({ spec: { finalizers: [] } }, {}, 'finalize')
    expect(holdsDeletion?.(next)).to.equal(false)
    expect(next.status).to.deep.equal({ phase: 'Active' })
  })

  it('print a row', async () => {
    const cases = new KindCases(namespaceResource)
    await cases.create({})
    expect(cases.cells()).to.deep.equal(['x', 'Active', '0s'])
  })
})
