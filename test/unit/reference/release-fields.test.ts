import { expect } from 'chai'
import { RELEASES } from '../../../src/lifecycle/release.ts'
import { typesOf } from '../../../src/resources/types.ts'
import { describeReference, referenceJson } from '../../support/reference.ts'
import { isIn } from '../../support/release-ranges.ts'

interface Facts {
  readonly messages: Readonly<Record<string, Message>>
}
interface Message {
  readonly openapi?: string
  /** Releases that have it; absent: all. */
  readonly in?: string
  readonly fields?: readonly { readonly name: string; readonly in?: string; readonly inline?: boolean }[]
}

/** Types that are read in the same form whatever the release is: those of meta, and what is said between servers. */
const ANY_RELEASE = /apimachinery|apidiscovery|imagepolicy|admission\.v1/

describeReference('fields of each release beside the reference', () => {
  const { messages } = referenceJson('releases/fields.json') as Facts
  for (const release of RELEASES) {
    const minor = Number(release.slice(2))
    const types = typesOf(release)
    it(`are those of ${release}`, () => {
      let compared = 0
      for (const [name, { openapi, fields = [], in: releases }] of Object.entries(messages)) {
        if (openapi === undefined || ANY_RELEASE.test(name) || (releases !== undefined && !isIn(releases, minor))) continue
        const type = types.byDefinition(openapi)
        if (!type) continue
        const expected = fields.filter(field => !field.inline && (field.in === undefined || isIn(field.in, minor))).map(field => field.name)
        const inlined = new Set(type.inlines.flatMap(({ schema }) => [...schema.fields.keys()]))
        const ours = [...type.fields.keys()].filter(field => !inlined.has(field))
        expect(ours.sort(), `${name} of ${release}`).to.deep.equal(expected.filter(field => !inlined.has(field)).sort())
        compared++
      }
      expect(compared).to.be.greaterThan(700)
    })
  }
})
