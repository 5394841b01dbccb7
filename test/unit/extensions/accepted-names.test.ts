import { expect } from 'chai'
import type { CustomResourceDefinitionNames as Names } from '../../../src/api/apiextensions/v1.types.ts'
import { nameDefinition } from '../../../src/extensions/accepted-names.ts'
import type { DefinitionCondition, DefinitionHead } from '../../../src/extensions/definition-conditions.ts'

const names = (plural: string, kind: string, more: Partial<Names> = {}): Names => ({
  plural,
  singular: kind.toLowerCase(),
  kind,
  listKind: `${kind}List`,
  ...more,
})

const definition = (wanted: Names, accepted?: Names, conditions: DefinitionCondition[] = [], group = 'g'): DefinitionHead => ({
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'x' },
  spec: { group, names: wanted },
  status: {
    conditions: conditions.map(condition => ({ ...condition, lastTransitionTime: null })),
    storedVersions: null,
    acceptedNames: accepted ?? { plural: '', kind: '' },
  },
})

const widgets = names('widgets', 'Widget')

describe('nameDefinition', () => {
  it('accepts unused names, and sets Installing', () => {
    expect(nameDefinition(definition(widgets), [])).to.deep.equal({
      acceptedNames: widgets,
      conditions: [
        { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
        { type: 'Established', status: 'False', reason: 'Installing', message: 'the initial names have been accepted' },
      ],
    })
  })

  it('changes nothing if all requested names are accepted', () =>
    expect(nameDefinition(definition(widgets, widgets), [])).to.equal(undefined))

  const conflicts: [string, Names, string, string][] = [
    ['plural', names('widgets', 'Gadget'), 'PluralConflict', '"widgets" is already in use'],
    ['singular', { ...names('gadgets', 'Gadget'), singular: 'widget' }, 'SingularConflict', '"widget" is already in use'],
    ['kind', { ...names('gadgets', 'Gadget'), kind: 'Widget' }, 'KindConflict', '"Widget" is already in use'],
    ['list kind', { ...names('gadgets', 'Gadget'), listKind: 'WidgetList' }, 'ListKindConflict', '"WidgetList" is already in use'],
    ['short name', names('gadgets', 'Gadget', { shortNames: ['w', 'gd'] }), 'ShortNamesConflict', '"w" is already in use'],
  ]
  const other = definition({ plural: '', kind: '' }, { ...widgets, shortNames: ['w'] })
  for (const [what, wanted, reason, message] of conflicts) {
    it(`reports a ${what} that another definition of the group has`, () => {
      const [accepted, established] = nameDefinition(definition(wanted), [other])?.conditions ?? []
      expect(accepted).to.deep.equal({ type: 'NamesAccepted', status: 'False', reason, message })
      expect(established).to.deep.include({ status: 'False', reason: 'NotAccepted' })
    })
    it(`accepts the ${what} of a definition in another group`, () => {
      expect(nameDefinition(definition(wanted, undefined, [], 'elsewhere'), [other])?.conditions[0]?.status).to.equal('True')
    })
  }

  it('keeps a kind established if its new names are not accepted', () => {
    const established = { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'm' }
    const naming = nameDefinition(
      definition(names('gadgets', 'Gadget', { shortNames: ['w'] }), names('gadgets', 'Gadget'), [established]),
      [other],
    )
    expect(naming?.acceptedNames).to.deep.equal(names('gadgets', 'Gadget'))
    expect(naming?.conditions[1]).to.deep.equal(established)
  })
})
