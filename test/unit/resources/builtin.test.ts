import { expect } from 'chai'
import { LIFECYCLES } from '../../../src/lifecycle/kinds.ts'
import { builtinResources } from '../../../src/resources/builtin.ts'
import { featuresOf } from '../../support/hook-context.ts'

/** Stored, but not served in any version. */
const NEVER_SERVED = new Set(['v1 RangeAllocation'])

describe('built-in kinds', () => {
  it('have a row in src/lifecycle/kinds.ts for every version, without which they are not served', () => {
    const definitions = builtinResources({
      features: featuresOf(),
      eventTtlSeconds: 1,
      serviceCIDRs: ['10.0.0.0/24'],
      nodePortRange: { base: 30_000, size: 10 },
    })
    const missing = definitions
      .flatMap(({ versions }) => versions)
      .map(({ group, name, kind }) => ({ apiVersion: group === '' ? name : `${group}/${name}`, kind }))
      .filter(({ apiVersion, kind }) => LIFECYCLES[apiVersion]?.[kind] === undefined)
      .map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
    expect(missing.filter(each => !NEVER_SERVED.has(each))).to.deep.equal([])
  })
})
