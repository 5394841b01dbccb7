import { expect } from 'chai'
import type { Node, Pod } from '../../../../src/api/core/v1.types.ts'
import type { JsonObject } from '../../../../src/api/meta/object.ts'
import type { ApiClient } from '../../../../src/clients/api-client.ts'
import { CEL_BASE, CelExpressionError, compileCel } from '../../../../src/cluster/kwok/cel-expression.ts'
import { UsageReader } from '../../../../src/cluster/metrics-server/usage-reader.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { turnIsSpent } from '../../../../src/lib/turn.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

/** A client with rules for the usage of pods, whose spec takes `ms` to read. */
function clientWith(count: number, expression: string, ms = 0): ApiClient {
  const rule = (i: number): JsonObject => ({
    metadata: { namespace: 'default', name: `p${i}`, resourceVersion: `${i}` },
    get spec() {
      for (const until = performance.now() + ms; performance.now() < until; );
      return { usages: [{ usage: { cpu: { expression } } }] }
    },
  })
  return {
    list: async ({ resource }: { resource: string }) => ({
      items: resource === 'resourceusages' ? Array.from({ length: count }, (_, i) => rule(i)) : [],
    }),
  } as unknown as ApiClient
}

const podOf = (containers: number): Pod => {
  const names = Array.from({ length: containers }, (_, i) => ({ name: `c${i}` }))
  const status = { phase: 'Running', containerStatuses: names.map(({ name }) => ({ name, state: { running: {} } })) }
  return { metadata: { namespace: 'default', name: 'p0' }, spec: { containers: names }, status } as unknown as Pod
}

describe('usage of simulated containers', () => {
  it('is evaluated in steps of one container', async () => {
    const usage = await new UsageReader(clientWith(1, '2.0'), systemClock).read('default')
    const { result, yields } = countedSteps(usage.of(podOf(50), { metadata: { name: 'n' } } as Node))
    expect(yields).to.equal(50)
    expect(result).to.have.length(50)
    expect(result[49]).to.deep.equal({ name: 'c49', usage: { cpu: 2, memory: 1024 * 1024 } })
  })

  it('is read from very many rules in turns', async () => {
    turnIsSpent()
    let turns = 0
    let on = true
    const count = (): void => {
      turns++
      if (on) setImmediate(count)
    }
    setImmediate(count)
    const reader = new UsageReader(clientWith(50, '1.0', 1), systemClock)
    await reader.read('default')
    on = false
    expect(turns).to.be.greaterThan(5)
  })

  it('is not computed by an expression that takes long to compile', () => {
    expect(() => compileCel(`1${'+1'.repeat(6000)}`, CEL_BASE)).to.throw(
      CelExpressionError,
      'an expression may have at most 10000 characters',
    )
  })
})
