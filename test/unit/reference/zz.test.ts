import { expect } from 'chai'
import { minorOf, RELEASES } from '../../../src/lifecycle/release.ts'
import { typesOf } from '../../../src/resources/types.ts'
import { declared, fieldsOf, given, isType, schemaOf, stated } from '../../support/declared-fields.ts'
import { describeReference } from '../../support/reference.ts'
import { messagesOf } from '../../support/release-facts.ts'

/** Types that are read in the same form whatever the release is: those of meta, and what is said between servers. */
const ANY_RELEASE = /apimachinery|apidiscovery|imagepolicy|admission\.v1/

describeReference('fields of each release beside the reference', () => {
  for (const release of ['1.31'] as const)
    it(`are those of ${release}`, () => {
      const messages = messagesOf(minorOf(release))
      const types = typesOf(release)
      const differences: string[] = []
      let compared = 0
      for (const [name, message] of Object.entries(messages)) {
        const type = message.openapi === undefined || ANY_RELEASE.test(name) || !isType(name, message) ? undefined : schemaOf(name, message, types)
        if (!type) continue
        const ours = new Map([...type.fields.values()].map(field => [field.name, JSON.stringify(declared(field))]))
        const theirs = new Map(fieldsOf(messages, message).map(field => [field.name, JSON.stringify(stated(messages, field))]))
        for (const field of new Set([...ours.keys(), ...theirs.keys()]))
          if (ours.get(field) !== theirs.get(field)) differences.push(`${name}.${field}: ${ours.get(field) ?? 'none'}, not ${theirs.get(field) ?? 'none'}`)
        const own = given({ typeMeta: type.typeMeta, structType: type.structType })
        expect(own, name).to.deep.equal(given({ typeMeta: message.typeMeta, structType: message.structType }))
        compared++
      }
      expect(differences).to.deep.equal([])
      expect(compared).to.be.greaterThan(700)
    })
})
