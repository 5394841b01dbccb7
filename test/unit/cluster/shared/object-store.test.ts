import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import { ObjectStore } from '../../../../src/cluster/shared/object-store.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

const MANY = 9000
const names = (from: number): string[] => Array.from({ length: MANY }, (_, i) => `c${from + i}`)
const podWith = (claims: readonly string[]): Pod =>
  ({
    metadata: { namespace: 'ns', name: 'p' },
    spec: { volumes: claims.map(claimName => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
  }) as unknown as Pod

describe('the indexes of stored objects', () => {
  it('change in steps for an object of very many values', () => {
    const store = new ObjectStore<Pod>()
    store.addIndex('claim', ({ spec }) => (spec.volumes ?? []).map(({ name }) => name))
    const found = (value: string): readonly Pod[] => store.by('claim', value)
    const [first, second] = [podWith(names(0)), podWith(names(1))]

    expect(countedSteps(store.index('ns/p', first)).yields).to.be.above(MANY / 512)
    expect(store.put(first, true)).to.equal(undefined)
    expect([found('c0'), store.inNamespace('ns'), store.orphansIn('ns')]).to.deep.equal([[first], [first], [first]])

    expect(countedSteps(store.index('ns/p', second)).yields).to.be.above((2 * MANY) / 512)
    expect(store.put(second, true)).to.equal(first)
    expect([found('c0'), found('c1'), found(`c${MANY}`)]).to.deep.equal([[], [second], [second]])
    expect(store.inNamespace('ns')[0]).to.equal(second)

    expect(countedSteps(store.index('ns/p', undefined)).yields).to.be.above(MANY / 512)
    expect(store.remove('ns/p', true)).to.equal(second)
    expect([found('c1'), store.inNamespace('ns'), store.size]).to.deep.equal([[], [], 0])
  })
})
