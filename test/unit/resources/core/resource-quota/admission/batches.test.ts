import { expect } from 'chai'
import type { ResourceQuota } from '../../../../../../src/api/core/v1.types.ts'
import type { KubeObject } from '../../../../../../src/api/meta/object.ts'
import type { ResourceAccess } from '../../../../../../src/catalog/resource-access.ts'
import { configMapResource } from '../../../../../../src/resources/core/config-map/definition.ts'
import { QuotaBatches } from '../../../../../../src/resources/core/resource-quota/admission/batches.ts'
import type { Counted } from '../../../../../../src/resources/core/resource-quota/admission/check-request.ts'
import { QuotaIndex } from '../../../../../../src/resources/core/resource-quota/admission/quota-index.ts'
import { QuotaReservations } from '../../../../../../src/resources/core/resource-quota/admission/reservations.ts'
import { added, NOTHING, resourceListOf } from '../../../../../../src/resources/core/resource-quota/usage/amounts.ts'
import { objectCounter } from '../../../../../../src/resources/core/resource-quota/usage/evaluator.ts'
import { admissionRequest } from '../../../../../support/admission-request.ts'

const evaluator = objectCounter({ group: '', resource: 'configmaps' }, 'configmaps')

const quota = (name: string, hard: number, used: number, resourceVersion = 1): ResourceQuota =>
  ({
    metadata: { namespace: 'ns', name, resourceVersion: `${resourceVersion}` },
    spec: {},
    status: { hard: { configmaps: `${hard}` }, used: { configmaps: `${used}` } },
  }) as unknown as ResourceQuota

/** A store of quotas and an index of them as seen by a watch. */
function world(stored: ResourceQuota[], watched = stored) {
  const index = new QuotaIndex()
  for (const each of watched) index.put(each)
  const quotas = new Map(stored.map(each => [each.metadata.name ?? '', each]))
  const writes: string[] = []
  const access = {
    list: async () => ({ items: [...quotas.values()], resourceVersion: '' }),
    update: async (_: unknown, __: string, name: string, change: (object: KubeObject) => KubeObject) => {
      const now = quotas.get(name)
      const next = change(now as unknown as KubeObject) as unknown as ResourceQuota
      writes.push(name)
      const written = { ...next, metadata: { ...next.metadata, resourceVersion: `${Number(next.metadata.resourceVersion) + 1}` } }
      quotas.set(name, written)
      return written as unknown as KubeObject
    },
  } as unknown as ResourceAccess
  const reservations = new QuotaReservations()
  const batches = new QuotaBatches({ index, reservations, access: () => access, limitedResources: [] })
  const object = { metadata: { name: 'c' } } as KubeObject
  const counted = (parts: object = {}): Counted => ({
    request: admissionRequest(configMapResource, object, { namespace: 'ns', name: 'c', ...parts }),
    object,
    evaluator,
    now: 0,
  })
  return {
    writes,
    reservations,
    used: () => Object.fromEntries([...quotas].map(([name, { status }]) => [name, status.used?.configmaps])),
    held: (name: string) => resourceListOf(reservations.of('ns', name).reduce((sum, { amounts }) => added(sum, amounts), NOTHING)),
    admit: (parts?: object) => batches.admit(counted(parts)),
    replace: (each: ResourceQuota) => quotas.set(each.metadata.name ?? '', each),
  }
}

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(() => 'admitted').catch(error => error.message.replace(/.*forbidden: /, ''))

describe('requests of a namespace with quotas', () => {
  it('are reserved in one batch while another quota write is in progress', async () => {
    const w = world([quota('q', 100, 0)])
    await Promise.all(Array.from({ length: 64 }, () => w.admit()))
    expect(w.used()).to.deep.equal({ q: '64' })
    expect(w.writes).to.have.length(2)
  })

  it('are admitted up to the limit', async () => {
    const w = world([quota('q', 10, 4)])
    const outcomes = await Promise.all(Array.from({ length: 9 }, () => outcome(w.admit())))
    expect(outcomes.filter(each => each === 'admitted')).to.have.length(6)
    expect(outcomes.at(-1)).to.equal('exceeded quota: q, requested: configmaps=1, used: configmaps=10, limited: configmaps=10')
  })

  it('hold their reservation until the write has ended', async () => {
    const w = world([quota('q', 10, 4)])
    const [reservation] = await w.admit()
    expect(w.held('q')).to.deep.equal({ configmaps: '1' })
    await reservation?.commit()
    expect(w.held('q')).to.deep.equal({})
  })

  it('reserve nothing in a dry run', async () => {
    const w = world([quota('q', 1, 0)])
    await w.admit({ dryRun: true })
    expect(w.writes).to.deep.equal([])
  })

  it('are checked again after a conflicting change of the quota', async () => {
    const w = world([quota('q', 10, 9, 5)], [quota('q', 10, 3, 4)])
    expect(await Promise.all([outcome(w.admit()), outcome(w.admit())])).to.deep.equal([
      'admitted',
      'exceeded quota: q, requested: configmaps=1, used: configmaps=10, limited: configmaps=10',
    ])
    expect(w.used()).to.deep.equal({ q: '10' })
  })

  it('are not refused for limits that a quota no longer has', async () => {
    const w = world([quota('q', 10, 3, 5)], [quota('q', 10, 10, 4)])
    expect(await outcome(w.admit())).to.equal('admitted')
    expect(w.used()).to.deep.equal({ q: '4' })
  })

  it('are admitted if a quota has been deleted meanwhile', async () => {
    const w = world([quota('a', 10, 0)], [quota('a', 10, 0), quota('b', 0, 0)])
    expect(await outcome(w.admit())).to.equal('admitted')
    expect(w.used()).to.deep.equal({ a: '1' })
  })

  it('release their reservation in one quota if another is exceeded', async () => {
    const w = world([quota('a', 10, 0), quota('b', 1, 1, 5)], [quota('a', 10, 0), quota('b', 1, 0, 4)])
    const told: string[] = []
    w.reservations.onReturned(namespace => told.push(namespace), new AbortController().signal)
    expect(await outcome(w.admit())).to.contain('exceeded quota: b')
    expect(w.held('a')).to.deep.equal({})
    expect(told).to.include('ns')
  })
})
