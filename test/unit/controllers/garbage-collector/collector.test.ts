import { expect } from 'chai'
import { Collector } from '../../../../src/controllers/garbage-collector/collector.ts'
import { OwnerGraph } from '../../../../src/controllers/garbage-collector/graph.ts'
import type { Objects } from '../../../../src/controllers/garbage-collector/objects.ts'
import { SerialSteps } from '../../../../src/lib/serial-steps.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'

const OWNERS = 2000

describe('Collector', () => {
  it('lets other work run while it looks up very many owners, whose reads do not wait', async () => {
    const ownerReferences = Array.from({ length: OWNERS }, (_, i) => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: `u${i}` }))
    const metadata = { name: 'wide', namespace: 'default', uid: 'wide', ownerReferences }
    const graph = new OwnerGraph({ examine: () => {}, orphan: () => {}, invalidNamespace: () => {} })
    runAtOnce(graph.put('v1', 'ConfigMap', metadata))
    const deleted: string[] = []
    /** Reads take some time of this thread, and resolve at once. */
    const objects: Partial<Objects> = {
      get: ({ uid }) => {
        for (const end = performance.now() + 0.02; performance.now() < end; );
        return Promise.resolve(uid === 'wide' ? { apiVersion: 'v1', kind: 'ConfigMap', metadata } : undefined)
      },
      isNamespaced: () => true,
      delete: ({ uid }) => {
        deleted.push(uid)
        return Promise.resolve()
      },
    }
    const collector = new Collector(
      graph,
      new SerialSteps(),
      objects as Objects,
      () => Promise.resolve(),
      () => {},
    )
    let turns = 0
    let on = true
    const count = (): void => {
      turns++
      if (on) setImmediate(count)
    }
    setImmediate(count)
    await collector.examine('wide')
    on = false
    expect(deleted).to.deep.equal(['wide'])
    // All reads together take 40 ms, and a turn ends after two.
    expect(turns).to.be.at.least(5)
  })
})
