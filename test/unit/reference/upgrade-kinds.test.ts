import { expect } from 'chai'
import type { Release } from '../../../src/lifecycle/release.ts'
import { standingIn } from '../../../src/upgrade/versions/old-versions.ts'
import { describeReference, referenceJson } from '../../support/reference.ts'
import { isIn, isKnown, MINORS } from '../../support/release-ranges.ts'

interface KindFacts {
  /** Releases that can serve it; absent for what is no resource. */
  readonly served?: string
  readonly typesOnly?: boolean
}

describeReference('kinds of the upgrade report beside the reference', () => {
  for (const minor of MINORS) {
    const release: Release = `1.${minor}`
    it(`are those that ${release} can serve`, () => {
      const { kinds } = referenceJson('releases/kinds.json') as { kinds: Record<string, KindFacts> }
      const differences: string[] = []
      let compared = 0
      for (const [name, { served, typesOnly }] of Object.entries(kinds)) {
        const slash = name.lastIndexOf('/')
        if (served === undefined || typesOnly || slash < 0 || !isKnown(served)) continue
        const ours =
          standingIn(release, { apiVersion: name.slice(0, slash).replace(/^core\//, ''), kind: name.slice(slash + 1) })?.state ?? 'unknown'
        if ((ours === 'served' || ours === 'deprecated') !== isIn(served, minor) || ours === 'unknown') differences.push(`${name}: ${ours}`)
        compared++
      }
      expect(differences).to.deep.equal([])
      expect(compared).to.be.greaterThan(100)
    })
  }
})
