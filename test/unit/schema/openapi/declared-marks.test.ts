import { expect } from 'chai'
import { types } from '../../../../src/catalog/types.ts'
import { DefinitionSet } from '../../../../src/schema/openapi/definitions.ts'

const definitionOf = (id: string) => new DefinitionSet(2).ofFields(types.type(id))

/** The marks are those in the documents of kube-apiserver 1.33.4. */
describe('OpenAPI definitions of built-in types', () => {
  const unions: [string, object | undefined][] = [
    ['core.SeccompProfile', { discriminator: 'type', 'fields-to-discriminateBy': { localhostProfile: 'LocalhostProfile' } }],
    [
      'flowcontrol.Subject',
      { discriminator: 'kind', 'fields-to-discriminateBy': { group: 'Group', serviceAccount: 'ServiceAccount', user: 'User' } },
    ],
    [
      'flowcontrol.PriorityLevelConfigurationSpec',
      { discriminator: 'type', 'fields-to-discriminateBy': { exempt: 'Exempt', limited: 'Limited' } },
    ],
    ['rbac.Subject', undefined],
  ]
  for (const [id, union] of unions)
    it(`list the mutually exclusive fields of ${id}`, () => expect(definitionOf(id)['x-kubernetes-unions']).to.deep.equal(union && [union]))

  it('list the values of enums, except scopes of rules', () => {
    expect(definitionOf('admissionregistration.Rule').properties).to.deep.include({ scope: { type: 'string' } })
    expect(definitionOf('core.ContainerPort').properties).to.deep.include({ protocol: { type: 'string', enum: ['SCTP', 'TCP', 'UDP'] } })
  })
})
