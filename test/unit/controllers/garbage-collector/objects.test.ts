import { expect } from 'chai'
import type { KubeObject, ObjectMeta } from '../../../../src/api/meta/object.ts'
import type { Coordinates } from '../../../../src/controllers/garbage-collector/coordinates.ts'
import { OwnerKinds } from '../../../../src/controllers/garbage-collector/kinds.ts'
import { Objects, UnreachableError } from '../../../../src/controllers/garbage-collector/objects.ts'
import { builtinRegistry, CONFIG_MAPS, NAMESPACES } from '../../../support/builtin-registry.ts'
import { refusalText } from '../../../support/test-registry.ts'

const owner = (uid: string, blockOwnerDeletion?: boolean) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
})

async function open(metadata: ObjectMeta = {}) {
  const t = builtinRegistry()
  const access = t.access()
  await access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns' } })
  const made = await access.create(CONFIG_MAPS, 'ns', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', ...metadata } })
  const at: Coordinates = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name: 'a', uid: made.metadata.uid as string }
  const names = async () => (await access.list(CONFIG_MAPS, 'ns')).items.map(item => item.metadata.name)
  const touch = (change: (now: KubeObject) => void) =>
    access.update(CONFIG_MAPS, 'ns', 'a', now => {
      change(now)
      return now
    })
  return {
    access,
    made,
    at,
    names,
    touch,
    objects: new Objects(access, new OwnerKinds(t.catalog)),
    meta: async () => (await access.get(CONFIG_MAPS, 'ns', 'a')).metadata,
  }
}

describe('Objects', () => {
  it('finds objects by UID', async () => {
    const { objects, at } = await open()
    expect((await objects.get(at))?.metadata.name).to.equal('a')
    for (const other of [{ uid: 'other' }, { name: 'b' }, { namespace: 'elsewhere' }, { kind: 'Secret' }])
      expect(await objects.get({ ...at, ...other }), JSON.stringify(other)).to.equal(undefined)
  })

  const unreachable: [string, Partial<Coordinates>, UnreachableError['reason'], string][] = [
    ['an unknown kind', { kind: 'Widget' }, 'unknown kind', 'unable to get REST mapping for v1/Widget.'],
    [
      'a kind that is not stored',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' },
      'unknown kind',
      'unable to get REST mapping for authentication.k8s.io/v1/TokenReview.',
    ],
    ['no namespace', { namespace: '' }, 'namespaced owner', 'cluster-scoped objects cannot refer to namespaced owners'],
  ]
  for (const [what, more, reason, text] of unreachable)
    it(`throws UnreachableError: ${what}`, async () => {
      const { objects, at } = await open()
      const error = await objects.get({ ...at, ...more }).catch(error => error)
      expect(error).to.be.instanceOf(UnreachableError)
      expect([error.reason, error.message]).to.deep.equal([reason, text])
    })

  it('deletes an object that has changed, but not if its owners have', async () => {
    const { objects, made, at, names, touch } = await open({ ownerReferences: [owner('x')] })
    await touch(now => {
      now.metadata.ownerReferences = [owner('y')]
    })
    expect(await refusalText(objects.delete(at, made.metadata, 'Background'))).to.match(
      /^409 Conflict: .*the ResourceVersion in the precondition/,
    )
    expect(await names()).to.deep.equal(['a'])
    await touch(now => {
      now.metadata.ownerReferences = [owner('x')]
    })
    await objects.delete(at, made.metadata, 'Background')
    expect(await names()).to.deep.equal([])
    await objects.delete(at, made.metadata, 'Background')
  })

  it('ignores objects with another UID', async () => {
    const { objects, made, at, meta, names } = await open({ ownerReferences: [owner('x', true)], finalizers: ['orphan'] })
    const other = { ...at, uid: 'other' }
    await objects.removeOwners(other, ['x'])
    await objects.unblockOwners(other)
    await objects.removeFinalizer(other, 'orphan')
    await objects.delete(other, made.metadata, 'Background')
    expect(await names()).to.deep.equal(['a'])
    expect(await meta()).to.deep.equal(made.metadata)
  })

  it('removes owners, blocking and finalizers, and writes only changes', async () => {
    const { objects, at, meta } = await open({
      ownerReferences: [owner('x', true), owner('y', true), owner('z')],
      finalizers: ['a.io/b', 'orphan'],
    })
    await objects.removeOwners(at, ['x'])
    await objects.unblockOwners(at)
    await objects.removeFinalizer(at, 'orphan')
    const { ownerReferences, finalizers, resourceVersion } = await meta()
    expect(ownerReferences).to.deep.equal([owner('y', false), owner('z')])
    expect(finalizers).to.deep.equal(['a.io/b'])
    await objects.removeOwners(at, ['x'])
    await objects.unblockOwners(at)
    await objects.removeFinalizer(at, 'orphan')
    expect((await meta()).resourceVersion).to.equal(resourceVersion)
    await objects.removeOwners(at, ['y', 'z'])
    expect(await meta()).not.to.have.property('ownerReferences')
  })

  it('ignores deleted objects', async () => {
    const { objects, at, touch, access } = await open()
    await touch(() => {})
    await access.delete(CONFIG_MAPS, 'ns', 'a')
    await objects.removeOwners(at, ['x'])
    await objects.removeFinalizer(at, 'orphan')
  })
})
