import { expect } from 'chai'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { dropGatedFields, gatedFields } from '../../../src/schema/gated-fields.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'

const SOURCE = `
type Thing
  spec 1 Spec
  status 2 Status?

type Spec
  any 1 string? gate(Wide)
  items 2 []Item?
  own 3 string? gate(Own,own)
  fresh 4 string? gate(Fresh,created)
  byName 5 map[string]Item?
  part 6 *Part?
  left 7 Item? ungated
  again 8 *Spec?

type Item
  name 1 string
  inItem 2 []string? gate(Wide)

type Part prune
  only 1 string? gate(Part)
  other 2 string?

type Status
  behind 1 string? gate(Wide,follows)
  gone 2 string? gate(Gone,never)
`
const schema = new TypeRegistry().add({ id: 't', definition: 'io.test', source: SOURCE }).type('t.Thing')
const thing = (spec: object, status: object = {}) => ({ kind: 'Thing', apiVersion: 'v1', metadata: {}, spec, status })

/** Returns the object after clearing, with every gate off. */
function left(next: object, old?: ReturnType<typeof thing>) {
  const written = thing(next)
  runAtOnce(dropGatedFields(gatedFields(schema), written, old))
  return written.spec
}

describe('gatedFields', () => {
  it('finds fields at any depth, and enters recursive types once', () =>
    expect(gatedFields(schema).map(({ gate, path }) => `${gate} ${path.map(({ name }) => name).join('.')}`)).to.deep.equal([
      'Wide spec.any',
      'Wide spec.items.inItem',
      'Own spec.own',
      'Fresh spec.fresh',
      'Wide spec.byName.inItem',
      'Part spec.part.only',
      'Wide status.behind',
      'Gone status.gone',
    ]))

  const cases: Record<string, [next: object, old: ReturnType<typeof thing> | undefined, left: object]> = {
    'a new object keeps nothing': [{ any: 'a', own: 'b', fresh: 'c' }, undefined, {}],
    'items of lists and maps lose it': [
      { items: [{ name: 'a', inItem: ['x'] }], byName: { b: { name: 'b', inItem: ['x'] } } },
      undefined,
      { items: [{ name: 'a' }], byName: { b: { name: 'b' } } },
    ],
    'any field of the gate in the old object keeps all': [
      { any: 'a', items: [{ name: 'a', inItem: ['x'] }] },
      thing({ byName: { b: { inItem: ['y'] } } }),
      { any: 'a', items: [{ name: 'a', inItem: ['x'] }] },
    ],
    'an empty one does not count': [{ any: 'a' }, thing({ items: [{ inItem: [] }] }), {}],
    'one that follows does not count': [{ any: 'a' }, thing({}, { behind: 'b' }), {}],
    'some are kept by themselves only': [{ own: 'b' }, thing({ any: 'a', own: 'x' }), { own: 'b' }],
    'some are cleared on create only': [{ fresh: 'c' }, thing({}), { fresh: 'c' }],
    'a value that becomes empty is removed': [{ part: { only: 'x' } }, undefined, {}],
    'and stays with anything else in it': [{ part: { only: 'x', other: 'y' } }, undefined, { part: { other: 'y' } }],
    'nothing is cleared for an exempt kind': [{ left: { name: 'a', inItem: ['x'] } }, undefined, { left: { name: 'a', inItem: ['x'] } }],
  }
  for (const [what, [next, old, expected]] of Object.entries(cases)) it(what, () => expect(left(next, old)).to.deep.equal(expected))

  it('clears some fields whatever the old object has', () => {
    const written = thing({}, { behind: 'b', gone: 'c' })
    runAtOnce(dropGatedFields(gatedFields(schema), written, thing({ any: 'a' }, { gone: 'c' })))
    expect(written.status).to.deep.equal({ behind: 'b' })
  })
})
