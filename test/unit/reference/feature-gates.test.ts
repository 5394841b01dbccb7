import { expect } from 'chai'
import { gatesOf } from '../../../src/lifecycle/feature-gates.ts'
import { GATE_DEPENDENCIES } from '../../../src/lifecycle/gate-dependencies.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import { describeReference, referenceJson } from '../../support/reference.ts'
import { isIn, isKnown, MINORS } from '../../support/release-ranges.ts'

interface Gates {
  /** Gates by name: ranges of releases (`1.24-1.26,1.28`) with the state of the gate. */
  readonly gates: Readonly<Record<string, { readonly is: Readonly<Record<string, string>>; readonly dependsOn?: readonly string[] }>>
}

const LETTERS = { Alpha: 'A', Beta: 'B', GA: 'G', Deprecated: 'D' } as const
/** Those which are on here one release before upstream's. */
const OURS = new Set(['1.33 ListFromCacheSnapshot', '1.33 WatchList'])

describeReference('feature gates beside the reference', () => {
  const { gates } = referenceJson('releases/gates.json') as Gates
  for (const minor of MINORS) {
    const release: Release = `1.${minor}`
    it(`are those of ${release}`, () => {
      const expected = Object.entries(gates).flatMap(([name, { is }]) => {
        const state = Object.entries(is).find(([ranges]) => isIn(ranges, minor))?.[1]
        return state === undefined || OURS.has(`${release} ${name}`) ? [] : [`${name} ${state}`]
      })
      const ours = Object.entries(gatesOf(release)).flatMap(([name, { stage, preset, locked }]) =>
        OURS.has(`${release} ${name}`) ? [] : [`${name} ${LETTERS[stage]}${preset ? '+' : '-'}${locked ? 'L' : ''}`],
      )
      expect(ours.sort()).to.deep.equal(expected.sort())
    })
  }

  it('have the same dependencies', () => {
    // Names in the reference may end with the parenthesis of a conversion.
    const known = new Map(Object.entries(gates).filter(([, { is }]) => Object.keys(is).some(isKnown)))
    const expected = [...known].flatMap(([name, { dependsOn = [] }]) => {
      const needed = dependsOn.map(each => each.replace(/\W/, '')).filter(each => known.has(each))
      return needed.length > 0 ? [[name, needed.sort()]] : []
    })
    expect(GATE_DEPENDENCIES).to.deep.equal(Object.fromEntries(expected))
  })
})
