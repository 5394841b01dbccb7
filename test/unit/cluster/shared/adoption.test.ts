import { expect } from 'chai'
import type { ReplicaSet } from '../../../../src/api/apps/v1.types.ts'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import { claimObjects } from '../../../../src/cluster/shared/adoption.ts'
import { PODS, REPLICA_SETS } from '../../../../src/cluster/shared/kinds.ts'
import { controllerReference } from '../../../../src/cluster/shared/owner.ts'
import { labelSelectorOf } from '../../../../src/meta/label-selector.ts'
import { notFoundError } from '../../../../src/meta/status.ts'
import { countedTurns } from '../../../support/counted-turns.ts'
import { FakeApiClient } from '../../../support/fake-api-client.ts'

const LABELS = { app: 'web' }

async function open(deleted = false) {
  const client = new FakeApiClient()
  const set: ReplicaSet = await client.create(REPLICA_SETS, {
    kind: 'ReplicaSet',
    apiVersion: 'apps/v1',
    metadata: { name: 'rs', namespace: 'ns', ...(deleted && { deletionTimestamp: '2030-01-01T00:00:00Z' }) },
    spec: { selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec: { containers: [] } } },
    status: { replicas: 0 },
  })
  const pod = (name: string, more: Partial<Pod['metadata']> = {}): Promise<Pod> =>
    client.create(PODS, {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name, namespace: 'ns', labels: LABELS, ...more },
      spec: { containers: [] },
      status: {},
    })
  return {
    client,
    set,
    pod,
    owned: { ownerReferences: [controllerReference(REPLICA_SETS, set)] },
    async claim(...pods: Pod[]) {
      client.calls.length = 0
      const selector = labelSelectorOf(set.spec.selector)
      const claimed = await claimObjects(pods, { client, controllerKind: REPLICA_SETS, controller: set, kind: PODS, selector })
      return claimed.map(({ metadata }) => metadata.name)
    },
  }
}

describe('adoption', () => {
  it('keeps own objects, adopts orphans that match, and ignores others', async () => {
    const { claim, pod, owned, client } = await open()
    const other = { ownerReferences: [{ apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'x', controller: true }] }
    expect(
      await claim(await pod('own', owned), await pod('orphan'), await pod('foreign', other), await pod('unlike', { labels: {} })),
    ).to.deep.equal(['own', 'orphan'])
    expect(client.calls).to.deep.equal(['get replicasets rs', 'patch pods orphan'])
  })

  it('reads the controller from the server once before it adopts', async () => {
    const { claim, pod, client } = await open()
    await claim(await pod('a'), await pod('b'))
    expect(client.calls.filter(call => call.startsWith('get'))).to.have.length(1)
  })

  it('adopts nothing if the controller has been replaced by another one of its name', async () => {
    const { claim, pod, client, set } = await open()
    await client.delete(REPLICA_SETS, 'ns', 'rs')
    await client.create(REPLICA_SETS, { ...set, metadata: { name: 'rs', namespace: 'ns', uid: 'new' } })
    const orphan = await pod('orphan')
    const error: unknown = await claim(orphan).catch((failure: unknown) => failure)
    expect(error).to.be.an('error').with.property('message').that.contains('is gone: got uid new, wanted uid-2')
    expect(client.calls).to.not.include('patch pods orphan')
  })

  it('releases own objects that no longer match', async () => {
    const { claim, pod, owned, client } = await open()
    expect(await claim(await pod('own', { ...owned, labels: {} }))).to.deep.equal([])
    expect(client.calls).to.deep.equal(['patch pods own'])
  })

  it('neither adopts nor releases for a controller that is being deleted', async () => {
    const { claim, pod, owned, client } = await open(true)
    expect(await claim(await pod('own', { ...owned, labels: {} }), await pod('orphan'))).to.deep.equal([])
    expect(client.calls).to.deep.equal([])
  })

  it('does not adopt an object that is being deleted', async () => {
    const { claim, pod, client } = await open()
    expect(await claim(await pod('orphan', { deletionTimestamp: '2030-01-01T00:00:00Z' }))).to.deep.equal([])
    expect(client.calls).to.deep.equal([])
  })

  it('ignores an orphan that is gone when it is adopted', async () => {
    const { claim, pod, client } = await open()
    client.failures.patch = [notFoundError(PODS, 'orphan')]
    expect(await claim(await pod('orphan'))).to.deep.equal([])
  })

  it('looks at many objects in turns', async () => {
    const { client, set, pod, owned } = await open()
    const pods = await Promise.all(Array.from({ length: 100 }, (_, i) => pod(`p${i}`, owned)))
    const turns = await countedTurns(async time => {
      // Each object takes a millisecond.
      const filter = () => {
        time.pass(1)
        return true
      }
      const selector = labelSelectorOf(set.spec.selector)
      const claimed = await claimObjects(pods, { client, controllerKind: REPLICA_SETS, controller: set, kind: PODS, selector, filter })
      expect(claimed).to.have.length(100)
    })
    expect(turns).to.be.at.least(10)
  })
})
