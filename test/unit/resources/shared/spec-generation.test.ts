import { expect } from 'chai'
import type { TypedObject } from '../../../../src/api/meta/object.ts'
import { prepareGeneration, prepareUpdate } from '../../../../src/resources/shared/spec-generation.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

type Thing = TypedObject & { spec?: unknown; status?: unknown }

const COUNT = 20_000
const wide = (last: string): unknown => Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`k${i}`, i < COUNT - 1 ? 'v' : last]))
const thing = (spec: unknown): Thing => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', generation: 7 }, spec, status: {} })

describe('the generation of an object', () => {
  for (const [what, prepare] of [
    ['with a status', prepareUpdate],
    ['without a status', prepareGeneration],
  ] as const) {
    it(`increases if a small spec changes, in the same call: ${what}`, () => {
      const [same, changed] = [thing({ a: 1 }), thing({ a: 2 })]
      expect(prepare(same, thing({ a: 1 }))).to.equal(undefined)
      expect(prepare(changed, thing({ a: 1 }))).to.equal(undefined)
      expect([same.metadata.generation, changed.metadata.generation]).to.deep.equal([7, 8])
    })

    it(`increases if a large spec changes, in steps: ${what}`, () => {
      for (const [value, generation] of [
        ['v', 7],
        ['w', 8],
      ] as const) {
        const next = thing(wide(value))
        const steps = prepare(next, thing(wide('v')))
        expect(steps && countedSteps(steps).yields).to.be.at.least(Math.floor(COUNT / 512))
        expect(next.metadata.generation).to.equal(generation)
      }
    })
  }
})
