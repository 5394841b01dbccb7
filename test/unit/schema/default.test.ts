import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { applyDefaults } from '../../../src/schema/default.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'
import { countedSteps } from '../../support/counted-steps.ts'

const registry = new TypeRegistry().add({
  id: 't',
  definition: 'io.example.v1',
  source: `
type Thing
  protocol 1 string? = "TCP"
  replicas 2 *int32? = 1
  ports 3 []Port?
  byName 4 map[string]Port?
  options 5 *Port? = {"name":"x"}
  child 6 *Thing?
  plain 7 *Plain?

type Port
  name 1 string?
  mode 2 *int32? = 420

type Plain
  a 1 string?
  next 2 *Plain?
`,
})

describe('applyDefaults', () => {
  const table: [string, JsonObject, JsonObject][] = [
    ['absent, null and zero', { protocol: '', replicas: null }, { protocol: 'TCP', replicas: 1, options: { name: 'x', mode: 420 } }],
    ['zero of a pointer stays', { replicas: 0, options: {} }, { replicas: 0, options: { mode: 420 }, protocol: 'TCP' }],
    [
      'lists, maps and children',
      { ports: [{ mode: 1 }, {}], byName: { a: {} }, child: { options: null }, protocol: 'UDP', replicas: 2, options: {} },
      {
        ports: [{ mode: 1 }, { mode: 420 }],
        byName: { a: { mode: 420 } },
        child: { options: { name: 'x', mode: 420 }, protocol: 'TCP', replicas: 1 },
        protocol: 'UDP',
        replicas: 2,
        options: { mode: 420 },
      },
    ],
  ]
  for (const [name, object, want] of table) {
    it(name, () => {
      applyDefaults(registry.type('t.Thing'), object)
      expect(object).to.deep.equal(want)
    })
  }

  it('shares no default between objects', () => {
    const [a, b] = [{}, {}] as [JsonObject, JsonObject]
    applyDefaults(registry.type('t.Thing'), a)
    applyDefaults(registry.type('t.Thing'), b)
    expect(a.options).to.not.equal(b.options)
  })

  it('sets those of long lists and wide maps in steps', () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `k${i}`)
    const object: JsonObject = {
      ports: names.map(name => ({ name })),
      child: { byName: Object.fromEntries(names.map(name => [name, {}])) },
    }
    const schema = registry.type('t.Thing')
    const steps = schema.form.setDefaults(schema, object)
    expect(steps).to.not.equal(undefined)
    expect(steps && countedSteps(steps).yields).to.be.at.least(39)
    expect(object.ports).to.deep.equal(names.map(name => ({ name, mode: 420 })))
    expect(object.child).to.deep.include({ byName: Object.fromEntries(names.map(name => [name, { mode: 420 }])) })
  })

  it('does not change a type without defaults', () => {
    const object = { next: {} }
    applyDefaults(registry.type('t.Plain'), object)
    expect(object).to.deep.equal({ next: {} })
  })
})
