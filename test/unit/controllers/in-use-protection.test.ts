import { expect } from 'chai'
import type { Controller } from '../../../src/controllers/controller.ts'
import { attributesClassProtection, claimProtection, volumeProtection } from '../../../src/controllers/in-use-protection.ts'
import { forbiddenError } from '../../../src/meta/status.ts'
import { CLAIMS, VOLUME_ATTRIBUTES_CLASSES, VOLUMES } from '../../../src/resources/kinds.ts'
import { controllerEnvironment, NAMESPACES, PODS } from '../../support/builtin-registry.ts'
import { featuresOf } from '../../support/hook-context.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'
import { TestRegistry } from '../../support/test-registry.ts'
import { eventually } from '../../support/waiting.ts'

const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection'
const CLASS_FINALIZER = 'kubernetes.io/vac-protection'

async function open(controller: Controller) {
  const served = servedBuiltins({ 'storage.k8s.io/v1beta1': true }, { VolumeAttributesClass: true })
  const t = new TestRegistry(served, undefined, featuresOf('VolumeAttributesClass=true'))
  const access = t.access()
  const end = new AbortController()
  await access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns' } })
  let lists = 0
  const env = controllerEnvironment(t)
  const counting: typeof env.access = {
    ...env.access,
    list: (id, ...rest) => {
      if (id.resource === PODS.resource) lists++
      return env.access.list(id, ...rest)
    },
  }
  const done = controller({ ...env, access: counting }, end.signal)
  return {
    t,
    access,
    /** Number of lists of pods by the controller. */
    lists: () => lists,
    claim: (name: string, more: { metadata?: object; spec?: object } = {}) =>
      access.create(CLAIMS, 'ns', {
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        metadata: { name, finalizers: [CLAIM_FINALIZER], ...more.metadata },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more.spec },
      }),
    pod: (name: string, spec: object) =>
      access.create(PODS, 'ns', {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name },
        spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
      }),
    names: async (id: typeof CLAIMS | typeof VOLUMES, namespace: string) =>
      (await access.list(id, namespace)).items.map(({ metadata }) => metadata.name),
    async stop() {
      end.abort()
      await done
    },
  }
}

const mounts = (claimName: string) => ({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] })

describe('protection of storage in use', () => {
  it('adds the finalizer to claims that lack it', async () => {
    const s = await open(claimProtection)
    await s.claim('a', { metadata: { finalizers: [] } })
    await eventually(
      'the finalizer',
      async () => (await s.access.get(CLAIMS, 'ns', 'a')).metadata.finalizers?.includes(CLAIM_FINALIZER) === true,
    )
    await s.stop()
  })

  it('keeps a claim while a scheduled pod uses it', async () => {
    const s = await open(claimProtection)
    for (const name of ['used', 'unscheduled', 'free']) await s.claim(name)
    await s.pod('p', { nodeName: 'n', ...mounts('used') })
    await s.pod('q', mounts('unscheduled'))
    for (const name of ['used', 'unscheduled', 'free']) await s.access.delete(CLAIMS, 'ns', name)
    await eventually('only the used claim is there', async () => (await s.names(CLAIMS, 'ns')).join() === 'used')
    await s.access.delete(PODS, 'ns', 'p', { gracePeriodSeconds: 0 })
    await eventually('it has gone', async () => (await s.names(CLAIMS, 'ns')).length === 0)
    await s.stop()
  })

  it('keeps a claim until the last of several pods is gone', async () => {
    const s = await open(claimProtection)
    await s.claim('used')
    for (const name of ['p', 'q', 'r']) await s.pod(name, { nodeName: 'n', ...mounts('used') })
    await s.access.delete(CLAIMS, 'ns', 'used')
    for (const name of ['r', 'p']) await s.access.delete(PODS, 'ns', name, { gracePeriodSeconds: 0 })
    expect(await s.names(CLAIMS, 'ns')).to.deep.equal(['used'])
    await s.access.delete(PODS, 'ns', 'q', { gracePeriodSeconds: 0 })
    await eventually('it has gone', async () => (await s.names(CLAIMS, 'ns')).length === 0)
    await s.stop()
  })

  it('lists pods once for many claims, and not again for each change of a running pod', async () => {
    const s = await open(claimProtection)
    const claims = Array.from({ length: 50 }, (_, i) => `c${i}`)
    for (const name of claims) await s.claim(name)
    const volumes = claims.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } }))
    await s.pod('p', { nodeName: 'n', volumes })
    for (const name of claims) await s.access.delete(CLAIMS, 'ns', name)
    await eventually('pods are listed', () => s.lists() > 0)
    const before = s.lists()
    for (let i = 0; i < 100; i++)
      await s.access.update(PODS, 'ns', 'p', now => ({ ...now, metadata: { ...now.metadata, labels: { i: String(i) } } }))
    expect(s.lists() - before).to.be.below(50)
    await s.access.delete(PODS, 'ns', 'p', { gracePeriodSeconds: 0 })
    await eventually('all have gone', async () => (await s.names(CLAIMS, 'ns')).length === 0)
    expect(s.lists()).to.be.below(50)
    await s.stop()
  })

  it('continues if another object cannot be written', async () => {
    const s = await open(claimProtection)
    for (const name of ['stuck', 'free']) await s.claim(name)
    s.t.admission = {
      validate: async ({ operation, name }) => {
        if (operation === 'UPDATE' && name === 'stuck') throw forbiddenError(CLAIMS, name, 'no')
      },
    }
    for (const name of ['stuck', 'free']) await s.access.delete(CLAIMS, 'ns', name)
    await eventually('the other has gone', async () => (await s.names(CLAIMS, 'ns')).join() === 'stuck')
    s.t.admission = {}
    await eventually('both have gone', async () => (await s.names(CLAIMS, 'ns')).length === 0)
    await s.stop()
  })

  it('keeps finalizers of others', async () => {
    const s = await open(claimProtection)
    await s.claim('a', { metadata: { finalizers: ['example.io/x', CLAIM_FINALIZER] } })
    await s.access.delete(CLAIMS, 'ns', 'a')
    const left = async () => (await s.access.get(CLAIMS, 'ns', 'a')).metadata.finalizers
    await eventually('its own is gone', async () => !(await left())?.includes(CLAIM_FINALIZER))
    expect(await left()).to.deep.equal(['example.io/x'])
    await s.stop()
  })

  it('matches the claim of an ephemeral volume only to the pod that owns it', async () => {
    const s = await open(claimProtection)
    const ephemeral = {
      volumes: [
        {
          name: 'v',
          ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } } } },
        },
      ],
    }
    const owner = await s.pod('p', { nodeName: 'n', ...ephemeral })
    await s.pod('q', { nodeName: 'n', ...ephemeral })
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: owner.metadata.uid ?? '', controller: true }]
    await s.claim('p-v', { metadata: { ownerReferences } })
    await s.claim('q-v')
    for (const name of ['p-v', 'q-v']) await s.access.delete(CLAIMS, 'ns', name)
    await eventually('the other claim has gone', async () => (await s.names(CLAIMS, 'ns')).join() === 'p-v')
    await s.access.delete(PODS, 'ns', 'p', { gracePeriodSeconds: 0 })
    await eventually('it has gone', async () => (await s.names(CLAIMS, 'ns')).length === 0)
    await s.stop()
  })

  it('keeps a volume while it is bound', async () => {
    const s = await open(volumeProtection)
    const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/v' } }
    await s.access.create(VOLUMES, '', {
      kind: 'PersistentVolume',
      apiVersion: 'v1',
      metadata: { name: 'v', finalizers: ['kubernetes.io/pv-protection'] },
      spec,
    })
    const phase = (text: string) =>
      s.access.update(VOLUMES, '', 'v', now => ({ ...now, status: { phase: text } }), { subresource: 'status' })
    await phase('Bound')
    await s.access.delete(VOLUMES, '', 'v')
    expect(await s.names(VOLUMES, '')).to.deep.equal(['v'])
    await phase('Released')
    await eventually('it has gone', async () => (await s.names(VOLUMES, '')).length === 0)
    await s.stop()
  })

  it('keeps a VolumeAttributesClass while a claim names it', async () => {
    const s = await open(attributesClassProtection)
    const attributes = { kind: 'VolumeAttributesClass', apiVersion: 'storage.k8s.io/v1beta1', driverName: 'd', parameters: { a: 'b' } }
    await s.access.create(VOLUME_ATTRIBUTES_CLASSES, '', { ...attributes, metadata: { name: 'fast', finalizers: [CLASS_FINALIZER] } })
    await s.claim('a', { metadata: { finalizers: [] }, spec: { volumeAttributesClassName: 'fast' } })
    await s.access.delete(VOLUME_ATTRIBUTES_CLASSES, '', 'fast')
    expect((await s.access.list(VOLUME_ATTRIBUTES_CLASSES, '')).items).to.have.length(1)
    await s.access.delete(CLAIMS, 'ns', 'a')
    await eventually('it has gone', async () => (await s.access.list(VOLUME_ATTRIBUTES_CLASSES, '')).items.length === 0)
    await s.stop()
  })
})
