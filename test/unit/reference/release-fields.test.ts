import { expect } from 'chai'
import { typesOf } from '../../../src/catalog/types.ts'
import { declared, fieldsOf, given, isType, schemaOf, stated } from '../../support/declared-fields.ts'
import { describeReference } from '../../support/reference.ts'
import { messagesOf } from '../../support/release-facts.ts'
import { MINORS } from '../../support/release-ranges.ts'

/** Types that are read in the same form whatever the release is: those of meta, and what is said between servers. */
const ANY_RELEASE = /apimachinery|apidiscovery|imagepolicy|admission\.v1/

/** Types that no release since 1.24 reads. Their rules were of a type of their own before 1.26. */
const UNREAD = /admissionregistration\.v1beta1\.(Mutating|Validating)Webhook$/

/** Nothing shows that a field is deprecated. */
const shown = ({ deprecated: _, ...said }: Record<string, unknown>): string => JSON.stringify(said)

describeReference('fields of each release beside the reference', () => {
  for (const minor of MINORS)
    it(`are those of 1.${minor}`, () => {
      const messages = messagesOf(minor)
      const types = typesOf(`1.${minor}`)
      const differences: string[] = []
      let compared = 0
      for (const [name, message] of Object.entries(messages)) {
        const type =
          message.openapi === undefined || ANY_RELEASE.test(name) || UNREAD.test(name) || !isType(name, message)
            ? undefined
            : schemaOf(name, message, types)
        if (!type) continue
        const ours = new Map([...type.fields.values()].map(field => [field.name, shown(declared(field))]))
        const theirs = new Map(fieldsOf(messages, message).map(field => [field.name, shown(stated(messages, field))]))
        for (const field of new Set([...ours.keys(), ...theirs.keys()]))
          if (ours.get(field) !== theirs.get(field))
            differences.push(`${name}.${field}: ${ours.get(field) ?? 'none'}, not ${theirs.get(field) ?? 'none'}`)
        const own = JSON.stringify(given({ typeMeta: type.typeMeta, structType: type.structType }))
        const its = JSON.stringify(given({ typeMeta: message.typeMeta, structType: message.structType }))
        if (own !== its) differences.push(`${name}: ${own}, not ${its}`)
        compared++
      }
      expect(differences).to.deep.equal([])
      expect(compared).to.be.greaterThan(700)
    })
})
